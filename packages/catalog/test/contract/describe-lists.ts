import type { PackPage, PackQuery } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { makeVersion, actor } from '../../../test-kit/test/make-version.ts'

export function describeLists(context: CatalogContext): void {
  describe('PackStore.list', () => {
    it('orders by title in lower case, by code point, then by id', async () => {
      const titles = [
        'zebra',
        '\u{1F600} astral',
        'Äpfel',
        '\uFF41bc wide',
        'abd',
        'Zebra',
        '\uFFFD private',
        'ABE',
      ]
      await context.catalog.packs.commit(
        titles.map((title, index) => makeVersion({ slug: `pack-${index}`, title })),
      )
      const listed = (await context.catalog.packs.list({ limit: 10, offset: 0 })).packs
      const zebras = listed.filter(({ title }) => title.toLowerCase() === 'zebra')
      expect(zebras[0]!.id < zebras[1]!.id).toBe(true)
      expect(listed.map(({ title }) => title.replace('Zebra', 'zebra'))).toEqual([
        '\uFF41bc wide',
        'abd',
        'ABE',
        'zebra',
        'zebra',
        'Äpfel',
        '\uFFFD private',
        '\u{1F600} astral',
      ])
    })

    it('filters, pages and counts', async () => {
      await context.catalog.packs.commit([
        makeVersion({ slug: 'a', title: 'A', domain_slug: 'cooking', tokens: 10 }),
        makeVersion({ slug: 'b', title: 'B', difficulty: 'expert', tokens: 20, headerTokens: 5 }),
        makeVersion({ slug: 'c', title: 'C', difficulty: 'expert', tokens: 30 }),
        makeVersion({ slug: 'd', title: 'D', domain_slug: 'cooking', difficulty: 'expert', tokens: 40 }),
      ])
      expect(await list({})).toBe('a b c d of 4')
      expect(await list({ limit: 2 })).toBe('a b of 4')
      expect(await list({ limit: 2, offset: 3 })).toBe('d of 4')
      expect(await list({ offset: 9 })).toBe(' of 4')
      expect(await list({ domain: 'cooking' })).toBe('a d of 2')
      expect(await list({ difficulty: 'expert', limit: 1 })).toBe('b of 3')
      expect(await list({ domain: 'cooking', difficulty: 'expert' })).toBe('d of 1')
      expect(await list({ maxTokens: 25 })).toBe('a b of 2')
      expect(await list({ maxTokens: 24 })).toBe('a of 1')
      expect(await list({ maxTokens: 39, difficulty: 'expert', search: 'C' })).toBe('c of 1')
      expect(await list({ domain: 'nothing' })).toBe(' of 0')
      expect(await list({ domain: "x' or 1=1 --\0" })).toBe(' of 0')
    })

    it('orders by title, newest change, tokens or saving, and ties by title', async () => {
      const { packs } = context.catalog
      await packs.commit([
        makeVersion({ slug: 'd', title: 'A', tokens: 20, savings: 12.34 }),
        makeVersion({ slug: 'c', title: 'C', tokens: 9, headerTokens: 1, savings: -2.5 }),
        makeVersion({ slug: 'b', title: 'b', tokens: 10, savings: 12.34 }),
        makeVersion({ slug: 'a', title: 'D', tokens: 100, savings: 12.35, domain_slug: 'cooking' }),
      ])
      const orders = ['title', 'newest', 'smallest', 'saved'] as const
      const listAll = async (query: Partial<PackQuery> = {}): Promise<string[]> => {
        const listed: string[] = []
        for (const order of orders) listed.push(await list({ ...query, order }))
        return listed
      }
      expect(await listAll()).toEqual(['d b c a of 4', 'a b c d of 4', 'b c d a of 4', 'a d b c of 4'])
      expect(await listAll({ limit: 2, offset: 1 })).toEqual(['b c of 4', 'b c of 4', 'c d of 4', 'd b of 4'])
      expect(await listAll({ domain: 'security', maxTokens: 10 })).toEqual([
        'b c of 2',
        'b c of 2',
        'b c of 2',
        'b c of 2',
      ])
      await packs.commit([makeVersion({ slug: 'd', title: 'Z', version: '1.1.0', parent: '1.0.0' })])
      expect(await listAll()).toEqual(['b c a d of 4', 'd a b c of 4', 'd b c a of 4', 'a b d c of 4'])
      await packs.yank('d', '1.1.0', 'wrong', actor)
      await packs.yank('b', '1.0.0', 'wrong', actor)
      expect(await listAll()).toEqual(['d c a of 3', 'd a c of 3', 'c d a of 3', 'a d c of 3'])
    })

    it.each(['title', 'newest', 'smallest', 'saved'] as const)(
      'lists each pack that remains once, whatever is committed and yanked between pages: by %s',
      async (order) => {
        const { packs } = context.catalog
        const TITLES = [
          'Zebra',
          'zebra',
          'Äpfel',
          '統計',
          '\u{1F600}',
          'مرحبا',
          '\uFFFD',
          '\uFF41bc',
          'abc',
          '"%_',
        ]
        let seed = order.length
        const random = (below: number): number => (seed = (seed * 16_807) % 2_147_483_647) % below
        const make = (at: number, minor = 0) =>
          makeVersion({
            slug: `p-${at}`,
            title: TITLES[at % TITLES.length]!,
            tokens: 10 + (at % 3),
            savings: at % 4,
            domain_slug: at % 5 === 0 ? 'cooking' : 'security',
            version: `1.${minor}.0`,
            ...(minor > 0 && { parent: `1.${minor - 1}.0` }),
          })
        let count = 24
        const minors = Array<number>(count).fill(0)
        await packs.commit(minors.map((_, at) => make(at)))
        for (const domain of [undefined, 'security', 'cooking']) {
          const query = { order, domain, limit: 1 + random(4) }
          const present = await packs.list({ ...query, limit: 100, offset: 0 })
          const remaining = new Set(present.packs.map(({ slug }) => slug))
          const seen: string[] = []
          let after: PackPage['next']
          do {
            const page = await packs.list({ ...query, offset: 0, after })
            seen.push(...page.packs.map(({ slug }) => slug))
            after = page.next
            const at = random(count)
            const change = random(3)
            if (change === 0) await packs.commit([make(minors.push(0) - 1)])
            else if (change === 1) await packs.commit([make(at, ++minors[at]!)])
            else await packs.yank(`p-${at}`, `1.${minors[at]!}.0`, 'wrong', actor)
            count = minors.length
            // A new version, or the one before a yanked one, has a place of its own among the newest.
            if (change === 2 || (change === 1 && order === 'newest')) remaining.delete(`p-${at}`)
          } while (after !== undefined && seen.length < 200)
          expect(seen.filter((slug) => remaining.has(slug)).toSorted()).toEqual([...remaining].toSorted())
          expect(remaining.size).toBeGreaterThan(0)
        }
      },
    )

    it('counts new packs immediately, also those of another process', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'a' })])
      expect(await list({})).toBe('a of 1')
      await packs.commit([makeVersion({ slug: 'b' })])
      expect(await list({})).toBe('a b of 2')
      const other = await context.database.open(context.url)
      await other.packs.commit([makeVersion({ slug: 'c' })])
      expect(await list({})).toBe('a b c of 3')
    })

    it('returns every field of a pack except its texts, metadata and front matter', async () => {
      const version = makeVersion({
        slug: 'tls',
        title: 'TLS basics',
        description: 'How a connection is protected.',
        tags: ['network', 'keys'],
        metadata: { weight: 3 },
        front_matter: '---\nweight: 3\n---\n',
      })
      await context.catalog.packs.commit([version])
      const { packs } = await context.catalog.packs.list({ limit: 1, offset: 0 })
      const { content: _1, rosetta: _2, preview_content: _3, ...rest } = version.pack
      const { metadata: _4, front_matter: _5, ...summary } = rest
      expect(packs).toEqual([
        { ...summary, signatures: [], published_at: expect.any(String), updated_at: packs[0]!.published_at },
      ])
    })

    it('returns the domains in use', async () => {
      await context.catalog.packs.commit([
        makeVersion({ slug: 'a', domain: 'Security', domain_slug: 'security' }),
        makeVersion({ slug: 'b', domain: 'Cooking', domain_slug: 'cooking' }),
        makeVersion({ slug: 'c', domain: 'SECURITY', domain_slug: 'security', difficulty: 'expert' }),
      ])
      expect(await context.catalog.packs.domains()).toEqual([
        expect.objectContaining({ domain: 'Cooking', domain_slug: 'cooking', packs: 1 }),
        {
          domain: 'SECURITY',
          domain_slug: 'security',
          packs: 2,
          first_difficulty: 'beginner',
          last_difficulty: 'expert',
        },
      ])
    })
  })

  describe('PackStore.list with a search', () => {
    it('finds words in any order, or their beginnings, ignoring case, accents and forms', async () => {
      const cases = [
        ['go', 'Learn Go in 統計'],
        ['GO learn', 'Learn Go in 統計'],
        ['統計', 'Learn Go in 統計'],
        ['計', 'Learn Go in 統計'],
        ['統計 lea', 'Learn Go in 統計'],
        ['earn', ''],
        ['learning', 'Learn Go in 統計'],
        ['ｌｅａｒｎ', 'Learn Go in 統計'],
        ['ΟΔΟΣ', 'Οδος Σοφία'],
        ['οδοσ σοφ', 'Οδος Σοφία'],
        ['%', ''],
        ['100%', 'Get 100% of "it"'],
        ['"of"', 'Get 100% of "it"'],
        ['snake_case', `Say snake_case, isn't it\\`],
        ['snake', `Say snake_case, isn't it\\`],
        ["isn't", `Say snake_case, isn't it\\`],
        ['\\', ''],
        ['ﬁle', 'Files NEAR you'],
        ['near AND', ''],
        ['near', 'Files NEAR you'],
        ['file*', 'Files NEAR you'],
        ['le_rn', ''],
        ['title:go', ''],
        ['go OR near', ''],
        ['pack-0', ''],
        ['\0', ''],
        ['\uD800', ''],
        ['(', ''],
      ] as const
      await context.catalog.packs.commit(
        [
          'Learn Go in 統計',
          'Get 100% of "it"',
          `Say snake_case, isn't it\\`,
          'Files NEAR you',
          'Οδος Σοφία',
        ].map((title, index) => makeVersion({ slug: `pack-${index}`, title })),
      )
      const found: (readonly [string, string])[] = []
      for (const [words] of cases) {
        const { packs, total } = await context.catalog.packs.list({ limit: 10, offset: 0, search: words })
        expect(total).toBe(packs.length)
        found.push([words, packs.map(({ title }) => title).join(' & ')])
      }
      expect(found).toEqual(cases)
    })

    it('accepts titles that grow under NFKC, and queries of many words', async () => {
      const title = '\uFDFA'.repeat(300)
      await context.catalog.packs.commit([makeVersion({ slug: 'long', title }), makeVersion({ slug: 'go' })])
      expect(await list({ search: '\uFDFA' })).toBe('long of 1')
      expect(await list({ search: 'g go '.repeat(50) })).toBe('go of 1')
      expect(await list({ search: 'x'.repeat(200) })).toBe(' of 0')
      expect(await list({ search: ' \t\u00A0' })).toBe('go long of 2')
    })
  })

  async function list(query: Partial<PackQuery>): Promise<string> {
    const { packs, total } = await context.catalog.packs.list({ limit: 10, offset: 0, ...query })
    return `${packs.map(({ slug }) => slug).join(' ')} of ${total}`
  }
}
