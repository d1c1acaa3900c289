import { derivePackId } from '@packs/codec/internal'
import { describePack, listTitleWords } from '@packs/search'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countRuns } from '../../test-kit/test/count-runs.ts'
import { makeVersion } from '../../test-kit/test/make-version.ts'
import { startPostgresTests, startSqliteTests } from '../../test-kit/test/test-database.ts'

// Texts that are difficult for databases, case folding or Unicode, one per line.
const SPECIAL = `go
Go 
TLS
file
ﬁle
oﬀ
統計
統
計学
Σ
σ
ς
İ
ı
ß
ẞ
\u00C5
A\u030A
%
_
\\
"
'
*
(
)
-
:
^
 AND 
 OR 
NEAR
 
  
\t
\u00A0
\0
\uFFFE
\uFFFF
\uFFFD
\uD800
\u0301
e\u0301
é
①
½
\u{1F600}
\u{10FFFF}
\u{1D518}
x41
ａｂｃ
\uFDFA
ꟑ
\u0345
ᾳ
\u200D
\u2028`.split('\n')

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...SPECIAL) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
  {
    weight: 2,
    arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', ' ', 'g', 'G'), maxLength: 4 }),
  },
)
const title = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))
const query = fc.oneof(
  title,
  fc.record({
    pick: fc.nat(),
    from: fc.nat(20),
    length: fc.integer({ min: 1, max: 8 }),
    upper: fc.boolean(),
  }),
)

describe('SQLite and Postgres', async () => {
  const databases = [await startSqliteTests(), await startPostgresTests()]
  const catalogs = await Promise.all(databases.map(async (one) => one.open(await one.create())))

  it('find and order the same packs as a simple filter, for random titles and searches', async () => {
    const titles: string[] = []
    await fc.assert(
      fc.asyncProperty(
        fc.array(title, { minLength: 1, maxLength: 4 }),
        fc.array(query, { minLength: 3, maxLength: 8 }),
        async (added, queries) => {
          const release = added.map((text, index) =>
            makeVersion({ slug: `pack-${titles.length + index}`, title: text }),
          )
          for (const { packs } of catalogs) await packs.commit(release)
          titles.push(...added)
          for (const query of queries) {
            const search = typeof query === 'string' ? query : cut(titles[query.pick % titles.length]!, query)
            const expected = filterSimply(titles, search)
            for (const { packs } of catalogs) {
              const found = await packs.list({ limit: 1000, offset: 0, search })
              expect(found.packs.map(({ slug }) => slug)).toEqual(expected.slice(0, 1000))
              expect(found.total).toBe(expected.length)
            }
          }
        },
      ),
      { numRuns: countRuns(20) },
    )
  })
})

function cut(
  text: string,
  { from, length, upper }: { from: number; length: number; upper: boolean },
): string {
  const part = text.slice(from % Math.max(1, text.length), (from % Math.max(1, text.length)) + length)
  return upper ? part.toUpperCase() : part
}

/** The rule in its simplest form: the title has every word of the search, or a word that begins with it. */
function filterSimply(titles: readonly string[], search: string): string[] {
  const words = listTitleWords(search)
  if (words.length === 0 && search.trim() !== '') return []
  return titles
    .map((text, index) => ({ text, key: fold(text), slug: `pack-${index}` }))
    .filter(({ text, slug }) => {
      const terms = listTitleTerms(text, slug)
      return words.every(
        ({ term, prefix }) =>
          terms.has(clean(term)) ||
          (prefix !== undefined && [...terms].some((found) => found.startsWith(clean(prefix)))),
      )
    })
    .toSorted(
      (a, b) => compareBytes(a.key, b.key) || compareBytes(derivePackId(a.slug), derivePackId(b.slug)),
    )
    .map(({ slug }) => slug)
}

function listTitleTerms(title: string, slug: string): Set<string> {
  const figures = { token_count: 1, rosetta_tokens: 0 }
  const names = { title, slug, domain_slug: 'a', difficulty: 'beginner' }
  return new Set(describePack({ ...names, ...figures }, '', []).entries[0]!.filters.map(clean))
}

function clean(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function fold(text: string): string {
  const lower = Buffer.from(text).toString().normalize('NFKC').toLowerCase().normalize('NFKC')
  return lower.replaceAll('ς', 'σ').replace(/[\0\uFFFE\uFFFF]/g, '\uFFFD')
}
