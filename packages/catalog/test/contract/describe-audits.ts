import { describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { makeVersion, actor } from '../../../test-kit/test/make-version.ts'

/** SQL that tampers with `tls@1.1.0`, and the columns that the audit must report. */
const TAMPERS: readonly (readonly [sql: string, damaged: readonly string[]])[] = [
  [`update versions set domain_slug = 'x' where sequence = 2`, ['versions.domain_slug']],
  [`update versions set difficulty = 'expert' where sequence = 2`, ['versions.difficulty']],
  [`update versions set parent = 'abc' where sequence = 2`, ['versions.parent']],
  [`update versions set parent = null where sequence = 2`, ['versions.parent']],
  [
    `update versions set provenance = replace(provenance, '"parent_digest":"', '"parent_digest":"0') where sequence = 2`,
    ['versions.provenance.parent_digest'],
  ],
  [`update versions set provenance = '{}' where sequence = 2`, ['versions.provenance']],
  [
    `update versions set summary = replace(summary, '"title":"TLS"', '"title":"SSL"') where sequence = 2`,
    ['versions.summary.title'],
  ],
  [
    `update versions set summary = replace(summary, 'About TLS', 'About SSL') where sequence = 2`,
    ['versions.summary.description'],
  ],
  [
    `update versions set summary = replace(summary, '["keys","network"]', '["network","keys"]') where sequence = 2`,
    ['versions.summary.tags'],
  ],
  [
    `update versions set summary = replace(summary, ',"tags":["keys","network"]', '') where sequence = 2`,
    ['versions.summary.tags'],
  ],
  [
    `update versions set provenance = replace(provenance, '"slug":"tls"', '"slug":5') where sequence = 2`,
    ['versions.provenance'],
  ],
  [`update versions set summary = 'garbage' where sequence = 2`, ['versions.summary']],
  [
    `update packs set latest = null, title_key = 'zzz', tokens = 1, net_savings = 2, domain = 'q'`,
    ['packs.latest', 'packs.title_key', 'packs.domain', 'packs.tokens', 'packs.net_savings'],
  ],
  [`update packs set domain_slug = 'q', difficulty = 'q'`, ['packs.domain_slug', 'packs.difficulty']],
  [`update packs set latest = 1, head = 1`, ['packs.head', 'packs.latest']],
  [`update packs set head = 99`, ['packs.head']],
  [`update packs set latest = 99`, ['packs.latest']],
  [`update packs set id = 'pk_x'`, ['packs.id']],
  [`update versions set published_at = 'x' where sequence = 2`, ['versions.published_at']],
  [`update packs set updated_at = ''`, ['packs.updated_at']],
]

export function describeAudits(context: CatalogContext): void {
  describe('PackStore.audit', () => {
    it('finds no damage after commits, yanks and undone yanks', async () => {
      const { packs } = context.catalog
      await commitTwo()
      const damaged = async (version: string): Promise<unknown> =>
        (await packs.examine('tls', version))?.damaged
      expect(await damaged('1.0.0')).toEqual([])
      expect(await damaged('1.1.0')).toEqual([])
      await packs.yank('tls', '1.1.0', 'wrong', actor)
      expect(await packs.examine('tls', '1.1.0')).toMatchObject({ yanked: true, damaged: [], sequence: 2 })
      await packs.yank('tls', '1.0.0', 'wrong', actor)
      expect(await damaged('1.0.0')).toEqual([])
      await packs.undoYank('tls', '1.0.0', actor)
      expect(await damaged('1.1.0')).toEqual([])
      expect(await packs.examine('tls', '2.0.0')).toBeUndefined()
      expect(await packs.examine('ssh', '1.0.0')).toBeUndefined()
    })

    it.each(TAMPERS)('finds %s', async (sql, damaged) => {
      await commitTwo()
      await context.database.run(context.url, sql)
      expect(await context.catalog.packs.examine('tls', '1.1.0')).toMatchObject({ damaged })
    })

    async function commitTwo(): Promise<void> {
      const { packs } = context.catalog
      const first = makeVersion({ slug: 'tls', title: 'TLS', tokens: 7, savings: 12.34 })
      const next = makeVersion({
        slug: 'tls',
        title: 'TLS',
        version: '1.1.0',
        parent: '1.0.0',
        description: 'About TLS.',
        tags: ['keys', 'network'],
        metadata: { weight: 3, menu: { parent: 'net', after: ['ssh'] } },
        front_matter: '---\nweight: 3\n---\n',
      })
      await packs.commit([first])
      const provenance = { ...next.provenance, given: { slug: 'tls' }, parent_digest: first.pack.pack_digest }
      await packs.commit([{ ...next, provenance }])
    }
  })
}
