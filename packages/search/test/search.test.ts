import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSearch, nameHits, type TestPack } from './make-store.ts'
import { countRuns } from '../../test-kit/test/count-runs.ts'
import { listPairs } from '../../test-kit/test/list-pairs.ts'

const packs: readonly TestPack[] = [
  {
    slug: 'redis-basics',
    title: 'Redis basics',
    body: '# Redis basics\n\nRedis keeps data in memory.\n\n## Persistence\n\nSnapshots and the append-only file survive restarts.\n\n## Key expiration\n\nSet a time to live with EXPIRE. Use `redis-cli` to look at keys.\n',
  },
  {
    slug: 'typescript-options',
    title: 'TypeScript options',
    domain: 'languages',
    body: '# TypeScript options\n\nSwitches of the compiler.\n\n## `strictNullChecks`\n\nMakes null and undefined types of their own.\n\n## Building\n\nPass `--no-cache` to build everything again.\n',
  },
  {
    slug: 'vue-ja',
    title: 'リアクティブの基礎',
    body: '# リアクティブの基礎\n\n状態をリアクティブにします。\n\n## スロット\n\n親コンポーネントから内容を渡します。サーバーでも使えます。\n',
  },
  {
    slug: 'vue-zh',
    title: '响应式基础',
    body: '# 响应式基础\n\n声明响应式状态。\n\n## 垃圾回收\n\n内存由浏览器管理。\n',
  },
  {
    slug: 'kitchen',
    title: 'Kitchen',
    body: 'Before the first heading: wash your hands.\n\n# Soup\n\nBoil the water. Add salt, and remove the lid.\n\n# Bread\n\nBake it in a hot oven. The colour tells when it is ready.\n',
  },
]
const find = createSearch(packs)

describe('search', () => {
  it.each(
    listPairs([
      ['redis-basics#persistence', 'persistence', 'snapshot'],
      ['redis-basics#key-expiration', 'how do I set a key expiration', 'redis-cli'],
      ['typescript-options#strictnullchecks', 'strict null checks', 'strictnullchecks', 'strictNullChecks'],
      ['typescript-options#strictnullchecks', 'ＳＴＲＩＣＴ null'],
      ['typescript-options#building', 'no-cache', '--no-cache'],
      ['vue-ja#スロット', 'スロット', 'サーバ'],
      ['vue-zh#垃圾回收', '垃圾回收'],
      ['kitchen#~intro', 'wash hands'],
    ]),
  )('finds the section for %s', async (text, expected) => {
    expect(nameHits(await find(text))[0]).toBe(expected)
  })

  it('finds the pack as a whole by its title or slug, before its sections', async () => {
    expect(nameHits(await find('Redis Basics'))[0]).toBe('redis-basics')
    expect(nameHits(await find('typescript-options'))[0]).toBe('typescript-options')
    expect(nameHits(await find('リアクティブ'))[0]).toBe('vue-ja')
  })

  it('finds a pack by a title of common words first, and a section by its heading', async () => {
    const others = Array.from({ length: 400 }, (_, at) => ({
      slug: `p${at}`,
      title: `Project identity ${at}`,
      body: '# Project setup\n\nThe identity of a project: each project has an identity.\n',
    }))
    const named = {
      slug: 'who',
      title: 'Identity',
      body: 'Each has one.\n\n## Rights in a project\n\nNone.\n',
    }
    const many = createSearch([named, ...others])
    expect(nameHits(await many('identity')).slice(0, 2)).toEqual(['who', 'who#~intro'])
    expect(nameHits(await many('WHO'))[0]).toBe('who')
    expect(nameHits(await many('rights in a project'))[0]).toBe('who#rights-in-a-project')
    expect((await many('identity', { maxTokens: 5 })).hits[0]?.pack.slug).toBe('who')
  })

  it('finds a word that is only in titles', async () => {
    const only = createSearch([
      { slug: 'bread', title: 'Sourdough loaf', body: 'Bake it.\n\n# Again\n\nAnd again.\n' },
    ])
    expect(nameHits(await only('sourdough'))[0]).toBe('bread')
    expect((await only('sourdogh')).corrected).toBe('sourdough')
  })

  it.each([
    ['persistance of snapshts', 'persistance of snapshots'],
    ['exprie', 'expire'],
    ['appendd', 'append'],
    ['strictnulchecks', 'strictnullchecks'],
    ['hotoven', 'hot oven'],
  ])('repairs %s and tells so', async (text, corrected) => {
    const page = await find(text)
    expect(page.corrected).toBe(corrected)
    expect(page.hits.length).toBeGreaterThan(0)
  })

  it('repairs at most three words', async () => {
    expect((await find('snapshts appendd strictnulchecks restrts')).corrected).toBe(
      'snapshots append strictnullchecks restrts',
    )
    expect((await find('restrts')).corrected).toBe('restarts')
  })

  it.each([
    ['idempotncy', 'idempotency'],
    ['idempotemt', 'idempotent'],
    ['evctions of keys', 'evictions of keys'],
    ['why does it hang', null],
    ['hanging plann', 'hanging plan'],
    ['nuxt deno', null],
    ['cahe the netx key', 'cache the next key'],
  ])('repairs %s as %s: neither a common word nor to a stem', async (text, corrected) => {
    const body =
      '# Requests\n\nSend an idempotency key. Idempotent requests can be repeated.\n\nWe change the plan: changes are changed by us. Then comes the next demo of cache evictions.\n'
    expect((await createSearch([{ slug: 'a', title: 'A', body }])(text)).corrected).toBe(corrected)
  })

  it('finds the synonyms of a word that is also one of another word', async () => {
    const texts = ['delete', 'drop'].map((word) => ({ slug: word, title: 'Table', body: `To ${word} it.\n` }))
    const tables = createSearch([
      ...texts,
      { slug: 'other', title: 'Other', body: 'To erase and remove it.\n' },
    ])
    const found = nameHits(await tables('remove erase'))
    expect(found).toEqual(['other#~intro', 'delete#~intro', 'drop#~intro'])
  })

  it.each(['zzzz', 'qqsoup', 'xyzbread'])('leaves %s as it is', async (text) => {
    expect((await find(text)).corrected).toBeNull()
  })

  it('does not repair words that the catalog has', async () => {
    expect((await find('soup with bread')).corrected).toBeNull()
  })

  it('finds synonyms and other spellings', async () => {
    expect(nameHits(await find('delete the lid'))[0]).toBe('kitchen#soup')
    expect(nameHits(await find('color of bread'))[0]).toBe('kitchen#bread')
  })

  it('keeps only sections that contain a phrase in quotation marks', async () => {
    expect(nameHits(await find('"hot oven"'))).toEqual(['kitchen#bread'])
    expect(nameHits(await find('“add salt, and” water'))).toEqual(['kitchen#soup'])
    expect((await find('"oven hot"')).hits).toEqual([])
  })

  it('filters by domain, difficulty and tokens', async () => {
    expect(nameHits(await find('null', { domain: 'languages' }))).toContain(
      'typescript-options#strictnullchecks',
    )
    expect((await find('null', { domain: 'tests' })).hits).toEqual([])
    expect((await find('null', { domain: 'unknown' })).hits).toEqual([])
    expect((await find('null', { difficulty: 'expert' })).hits).toEqual([])
    const cheap = await find('redis', { maxTokens: 30 })
    expect(cheap.hits.map(({ section }) => section?.tokens ?? 99).every((tokens) => tokens <= 30)).toBe(true)
    expect(nameHits(cheap)).not.toContain('redis-basics')
  })

  it('shows at most two hits of a pack, and others with the second', async () => {
    const body = Array.from(
      { length: 20 },
      (_, index) => `## Part ${index}\n\nThe gizmo number ${index}.\n`,
    ).join('\n')
    const { hits, total } = await createSearch([{ slug: 'gizmos', title: 'Machines', body }])('gizmo')
    expect(hits).toHaveLength(2)
    expect(total).toBe(2)
    expect(hits[0]!.also).toEqual([])
    expect(hits[1]!.also).toHaveLength(10)
    expect(new Set([...hits, ...hits[1]!.also].map(({ section }) => section?.id)).size).toBe(12)
  })

  it('pages through the same order', async () => {
    const all = await find('redis null soup bread スロット', { limit: 50 })
    const pages = await Promise.all(
      Array.from({ length: Math.ceil(all.total / 3) }, (_, page) =>
        find('redis null soup bread スロット', { limit: 3, offset: 3 * page }),
      ),
    )
    expect(pages.flatMap(nameHits)).toEqual(nameHits(all))
    expect(all.hits).toHaveLength(all.total)
  })

  it('tells where the words are', async () => {
    const [hit] = (await find('persistence snapshots')).hits
    expect(hit?.matched).toEqual(['heading', 'text'])
    expect((await find('Redis basics')).hits[0]?.matched).toContain('title')
    const below = createSearch([{ slug: 'a', title: 'A', body: '# Gizmos\n\n## Part\n\nIt turns.\n' }])
    expect((await below('gizmos')).hits.map(({ matched }) => matched)).toEqual([
      ['heading', 'text'],
      ['heading'],
    ])
    const japanese = createSearch([{ slug: 'b', title: 'B', body: '# 設定\n\nこれは例です。\n' }])
    expect((await japanese('設定の')).hits[0]?.matched).toEqual(['heading', 'text'])
    const named = createSearch([{ slug: 'c', title: '設定', body: 'これは例です。\n' }])
    expect((await named('設定の')).hits[0]?.matched).toEqual(['title'])
  })

  it('rejects queries without text and longer than 400 characters', async () => {
    await expect(find(' ')).rejects.toThrow(RangeError)
    await expect(find('x'.repeat(401))).rejects.toThrow(RangeError)
    await expect(find('"a" "b" “c” "d" "e"')).rejects.toThrow(RangeError)
    await expect(find('"a" "b" “c” "d" "" "?"')).resolves.toMatchObject({ hits: [] })
    await expect(find('🦆'.repeat(400))).resolves.toMatchObject({ hits: [] })
  })

  // prettier-ignore
  const moreTexts = [
    'soup AND NOT bread', 'soup*', 'text:soup', 'NEAR(soup bread, 3)', '"soup',
    'soup & !bread | (water <-> salt)', "soup:* 'bread", '^soup', '%soup_', 'soup\\',
  ]
  it.each(moreTexts)('reads %s as words', async (text) => {
    expect(nameHits(await find(text))[0]).toBe('kitchen#soup')
  })

  it('answers any query, with snippets of the original text', async () => {
    // prettier-ignore
    const words = fc.constantFrom(
      'soup', 'redis', 'の', 'スロット', '垃圾', '"', '*', '(', 'NOT', '-', ':', '\u0000', '👩‍💻', '',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.array(words).map((all) => all.join(' ')),
        ),
        async (text) => {
          fc.pre(text.trim() !== '' && Array.from(text).length <= 400)
          for (const { pack, snippet } of (await find(text)).hits) {
            const { body } = packs.find(({ slug }) => slug === pack.slug)!
            expect(body).toContain(snippet ?? '')
            expect(Array.from(snippet ?? '').length).toBeLessThanOrEqual(240)
          }
        },
      ),
      { numRuns: countRuns(300) },
    )
  })
})

describe('snippets of a reader who sees only the beginning', () => {
  it('show nothing beyond it', async () => {
    const texts = packs.map(({ body }) => body)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(150), { minLength: packs.length, maxLength: packs.length }),
        fc.constantFrom('redis expire', 'null build', 'salt oven', 'スロット 内容', '内存'),
        async (ends, text) => {
          const seen = createSearch(packs.map((pack, index) => ({ ...pack, visible: ends[index]! })))
          for (const { pack, snippet, also } of (await seen(text)).hits) {
            const index = packs.findIndex(({ slug }) => slug === pack.slug)
            for (const shown of [snippet, ...also.map((hit) => hit.snippet)])
              expect(texts[index]!.slice(0, ends[index])).toContain(shown ?? '')
          }
        },
      ),
      { numRuns: countRuns(200) },
    )
  })

  it.each([
    ['"wash your hands"', ['kitchen#~intro']],
    ['"boil the water"', []],
    ['“hot oven”', []],
    ['"soup"', ['kitchen#soup']],
    ['oven hot', ['kitchen#bread']],
  ])('and phrases: %s', async (text, expected) => {
    expect(nameHits(await createSearch([{ ...packs[4]!, visible: 60 }])(text))).toEqual(expected)
  })

  it('find locked words of scripts without spaces as whole words', async () => {
    const seen = createSearch([{ ...packs[3]!, visible: 5 }])
    expect(nameHits(await seen('浏览'))).toEqual(['vue-zh#垃圾回收'])
    expect(nameHits(await createSearch([packs[3]!])('圾回'))).toEqual(['vue-zh#垃圾回收'])
    expect((await seen('圾回')).hits).toEqual([])
  })

  it('are null where the text that matches is beyond it', async () => {
    const seen = createSearch([{ ...packs[4]!, visible: 60 }])
    const hits = (await seen('hot oven')).hits
    expect(hits[0]?.section?.id).toBe('bread')
    expect(hits[0]?.snippet).toBeNull()
  })
})

it('has no words for the numbers of links, and shows none in snippets', async () => {
  const body = '# Locks\n\nRead [the handbook](42) of oiled locks.\n\n```js\nkeys[0](1)\n```\n'
  const search = createSearch([{ slug: 'locks', title: 'Locks', links: ['/handbook'], body }])
  expect(await search('42')).toMatchObject({ hits: [] })
  expect(await search('handbook')).toMatchObject({
    hits: [{ snippet: 'Read [the handbook] of oiled locks.\n\n```js\nkeys[0](1)\n```' }],
  })
})
