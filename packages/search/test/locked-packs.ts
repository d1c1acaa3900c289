import type { SearchPage } from '@packs/search'
import fc from 'fast-check'
import type { TestPack } from './make-store.ts'

/** Two packs that differ only in the order of the words that a reader of the preview may not see. */
export interface Twins {
  readonly first: TestPack & { readonly visible: number }
  readonly second: TestPack & { readonly visible: number }
}

/** Words of scripts with spaces, among them identifiers, versions, addresses and words of one stem. */
const WORDS =
  `garden walnut harvest restart restarts snapshot container whenReady strictNullChecks no-cache fooBarBaz a-b-c
  redis-cli app.whenReady 1.28.3 HTTPServer www.example.com src/main/index.ts SOME_ENV user's naïve persistence persistent
  hot oven oversea over sea salt water привет сервер λόγος C++ 한국어 서버에서 메모리를 관리 설정`.split(
    /\s+/,
  )
/** Words that stand in runs without spaces. Each list is of one script, because a run ends where another begins. */
const RUNS = [
  ['内存', '管理', '配置', '缓存', '垃圾', '回收', '数据库', '状态'],
  ['データベース', 'サーバー', 'ファイル', 'メモリ', 'キャッシュ'],
  ['สวัสดี', 'ครับ', 'ภาษา', 'ไทย', 'หน่วย', 'ความจำ'],
  ['これ', 'ください', 'ありがとう', 'です'],
] as const
const VISIBLE =
  'walnut garden salt water snapshot 内存管理配置 データベースサーバー hot oven restart 한국어 설정 whenReady'

/** Packs that both searches find beside the twin. */
export const otherPacks: readonly TestPack[] = [
  {
    slug: 'other',
    title: 'Other water',
    body: '# Other water\n\nSalt and snapshots of a container. 缓存管理 を使う\n',
  },
]

/** Sets of words that are the words of a run in several orders, whatever stands beside them. */
const runs = RUNS.map((words) => {
  const orders = words.flatMap((a) =>
    words
      .flatMap((b) => [[a, b], ...words.map((c) => [a, b, c])])
      .filter((run) => new Set(run).size === run.length),
  )
  const valid = orders.filter((run) => JSON.stringify(splitRun(run.join(''))) === JSON.stringify(run))
  return [...Map.groupBy(valid, (run) => run.toSorted().join(' ')).values()].filter(
    ({ length }) => length > 1,
  )
})

function splitRun(run: string): string[] {
  return Array.from(new Intl.Segmenter('en', { granularity: 'word' }).segment(run), ({ segment }) => segment)
}

const drawRuns = fc.tuple(
  ...runs.map((sets) =>
    fc
      .constantFrom(...sets)
      .chain((orders) => fc.tuple(fc.constantFrom(...orders), fc.constantFrom(...orders))),
  ),
)

/** Draws the words of a section in two orders. */
const drawSection = fc
  .tuple(fc.shuffledSubarray(WORDS, { minLength: 6, maxLength: 20 }), drawRuns)
  .chain(([words, pairs]) => {
    const items = [
      ...words.map((word) => [word, word]),
      ...pairs.map((pair) => pair.map((run) => run.join(''))),
    ]
    const places = items.map((_, place) => place)
    const draw = fc.shuffledSubarray(places, { minLength: places.length, maxLength: places.length })
    return fc
      .tuple(draw, draw)
      .map((orders) => orders.map((order, at) => order.map((place) => items[place]![at]!).join(' ')))
  })

/** Draws packs whose first section is visible and whose second one is partly so. */
export const drawTwins: fc.Arbitrary<Twins> = fc
  .array(drawSection, { minLength: 3, maxLength: 3 })
  .map((sections) => {
    const seen = `# Guide\n\n${VISIBLE}.\n\n## Partly locked\n\n${VISIBLE}`
    const create = (at: number): Twins['first'] => ({
      slug: 'guide',
      title: 'Guide',
      visible: seen.length,
      body: `${seen} ${sections[0]![at]}\n\n## Hot oven\n\n${sections[1]![at]}\n\n### Below\n\n${sections[2]![at]}\n`,
    })
    return { first: create(0), second: create(1) }
  })

/** Draws a query that asks for the order of the words in one of the texts: phrases, joined words, misspelt ones, parts of runs. */
export function drawQuery({ first, second }: Twins): fc.Arbitrary<string> {
  const words = [first, second].flatMap(({ body }) => body.split(/\s+/))
  const place = fc.nat(words.length - 1)
  const neighbours = fc
    .tuple(place, fc.integer({ min: 1, max: 4 }))
    .map(([at, count]) => words.slice(at, at + count))
  const ask = fc.oneof(
    neighbours.map((some) => `"${some.join(' ')}"`),
    neighbours.map((some) => `“${some.join(' ')}”`),
    neighbours.map((some) => some.join(' ')),
    neighbours.map((some) => some.slice(0, 2).join('')),
    fc.tuple(place, fc.nat(9)).map(([at, letter]) => Array.from(words[at]!).toSpliced(letter, 1).join('')),
    fc.tuple(place, fc.nat(9), fc.integer({ min: 1, max: 7 })).map(([at, from, count]) => {
      return Array.from(words[at]!)
        .slice(from, from + count)
        .join('')
    }),
    fc.tuple(place, fc.nat(9), fc.integer({ min: 2, max: 7 })).map(([at, from, count]) => {
      return `"${Array.from(words[at]!)
        .slice(from, from + count)
        .join('')}"`
    }),
  )
  return fc
    .array(ask, { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(' '))
    .filter((text) => text.trim() !== '' && Array.from(text).length <= 400)
}

/** Writes all that a page tells, except tokens: those of a section are in its outline, for every reader. */
export function writePage(page: SearchPage): string {
  return JSON.stringify(page, (key, value: unknown) =>
    key.includes('token') || key.includes('estimate') ? 0 : value,
  )
}
