import type { Dialect } from '@packs/codec/pack'
import { GOALS, type EvalFigures } from './eval/simulate.ts'
import type { BuildSpeed } from './build-speed.ts'
import type { CompressSpeed } from './compress-speed.ts'
import type { DecodeSpeed } from './decode-speed.ts'
import type { FaultResults } from './faults.ts'
import type { HostileResults } from './hostile.ts'
import type { Machine } from './measure.ts'
import type { PagesResults } from './pages.ts'
import type { PeerRow } from './peers.ts'
import type { PublishResults } from './publish.ts'
import type { ReadingResults } from './reading.ts'
import type { VariantSavings } from './savings.ts'
import type { SearchResults } from './search.ts'
import type { StartResults } from './start.ts'
import type { FamilySavings } from './vocabularies.ts'

/** What `savings.json` has. A part that was not requested is empty. */
export interface SavingsResults {
  readonly corpus: {
    readonly name: 'corpus' | 'examples'
    readonly documents: number
    readonly bytes: number
    readonly tokens: number
  }
  readonly machine: Machine
  readonly savings: readonly Omit<VariantSavings, 'files'>[]
  readonly speed: readonly CompressSpeed[]
  readonly decode: readonly DecodeSpeed[]
  readonly build: readonly BuildSpeed[]
  readonly peers: readonly PeerRow[]
}

/** Pages of a site: bench/trees.json says from where. */
export interface Tree {
  readonly name: string
  readonly dialect: readonly Dialect[]
}

/** A row of what `rules.json` has: `minify-1` in all vocabularies, and each of its rules. */
export interface RuleSavings {
  readonly tree: Tree
  readonly pages: number
  readonly tokens: number
  readonly savings: readonly FamilySavings[]
}

/** Goals over the shared corpus: least pooled savings in percent, most times as long as tokenizing, least share of the bound. */
const GOALS_OF: Readonly<Record<string, readonly [number, number, number]>> = {
  'minify-1': [12.5, 6, 0.99],
  'dense-2 no code': [15, 12, 0.985],
  'dense-2': [18.5, 12, 0.985],
  'max-2': [24.5, 20, 0],
}
/** Most seconds of `pack build` of 300 files on a quiet machine with two cores. */
const BUILD_GOALS: Readonly<Record<string, number>> = { unchanged: 1, 'one edit': 1.5 }

type Read = <T>(name: string) => T | undefined
type Cell = string | number

/** Writes the page of all saved results. A part without a saved result is left out. */
export function formatPage(read: Read): string {
  const part = <T>(name: string, title: string, format: (results: T) => readonly string[]): string[] => {
    const results = read<T>(name)
    return results === undefined ? [] : [`## ${title}`, ...format(results)]
  }
  const sections = [
    '# Results',
    'Written by the benchmarks from the JSON files in this folder; [how each figure is measured](../../docs/benchmark.md). Shares are percentages. A `*` marks a goal that was missed.',
    ...part('savings', 'Savings and speed', formatSavings),
    ...part('vocabularies', 'Other vocabularies', formatVocabularies),
    ...part('rules', 'Rules of minify-1', formatRules),
    ...part('hostile', 'Hostile texts', formatHostile),
    ...part('search', 'Search and context', formatSearch),
    ...part('reading', 'Reading', formatReading),
    ...part('eval', 'Verdicts of evaluations', formatEval),
    ...part('publish', 'Publishing', formatPublish),
    ...part('pages', 'Pages', formatPages),
    ...part('start', 'Start', formatStart),
    ...part('faults', 'Faults of publishing', formatFaults),
  ]
  return `${sections.join('\n\n')}\n`
}

function formatSavings({ corpus, machine, savings, speed, decode, build }: SavingsResults): string[] {
  const buckets = savings[0]?.buckets ?? []
  const rows = savings.map(({ variant, buckets: sizes, all, pooled, optimality, withHeader, ...one }) => {
    const [least, most, share] = GOALS_OF[variant]!
    const time = speed.find((timed) => timed.variant === variant)?.ratio ?? Number.NaN
    return [
      variant,
      ...sizes.map(({ net }) => percent(net)),
      percent(all.net),
      mark(percent(pooled.net), pooled.net < least),
      withHeader.toFixed(0),
      mark(optimality.toFixed(3), optimality < share),
      mark(`${time.toFixed(1)}×`, !(time <= most)),
      one.worse + one.roundTripFailures,
    ]
  })
  return [
    `${corpus.documents} documents, ${count(corpus.tokens)} o200k_base tokens, on ${describe(machine)}. Net savings with the header; _time_ is compressing ÷ tokenizing once; _bound_ is the share of the certified upper bound; _faults_ are packs that cost more or do not come back.`,
    table(
      `scheme | ${buckets.map(({ bucket }) => bucket).join(' | ')} | mean | all tokens | with header | bound | time | faults`,
      rows,
    ),
    `Decoding runs at ${decode.map(({ decodeMBps }) => decodeMBps.toFixed(0)).join(', ')} MB/s with ${decode.map(({ entries }) => entries).join(', ')} entries, ${decode.map(({ ratio }) => ratio.toFixed(2)).join(', ')} of a bare loop. ` +
      `\`pack build\` of ${build[0]?.files} files: ${build.map(({ what, seconds, yardstick, ratio }) => `${mark(`${seconds.toFixed(1)} s`, seconds > (BUILD_GOALS[what] ?? Infinity))} ${what} (${ratio.toFixed(1)} times “${yardstick}”)`).join(', ')}.`,
  ]
}

function formatVocabularies(results: {
  readonly documents: number
  readonly results: readonly FamilySavings[]
}): string[] {
  const families = [...new Set(results.results.map(({ family }) => family))]
  const rows = families.map((name) => {
    const own = results.results.filter(({ family }) => family === name)
    const of = (scheme: string): string => percent(own.find(({ variant }) => variant === scheme)?.pooled ?? 0)
    return [
      name,
      of('minify-1'),
      of('dense-2'),
      of('max-2'),
      own.reduce((sum, { worse }) => sum + worse.length, 0),
    ]
  })
  return [
    `Packs of the ${results.documents} documents, built for o200k_base, counted in public vocabularies; _dearer_ are packs that cost more than their source.`,
    table('vocabulary | minify-1 | dense-2 | max-2 | dearer', rows),
  ]
}

function formatRules({ trees }: { readonly trees: readonly RuleSavings[] }): string[] {
  const of = ({ savings }: RuleSavings, variant: string, family = 'o200k_base'): number =>
    savings.find((one) => one.variant === variant && one.family === family)!.pooled
  const families = [...new Set(trees[0]!.savings.map(({ family }) => family))]
  const add = (get: (row: RuleSavings) => number): number => trees.reduce((sum, row) => sum + get(row), 0)
  const saved = add((row) => row.tokens * of(row, 'all')) / add(({ tokens }) => tokens)
  const names = trees[0]!.savings.flatMap(({ variant }) =>
    variant.endsWith(' alone') ? [variant.slice(0, -6)] : [],
  )
  return [
    'Pages of public sites (bench/trees.json has repository, folder and commit), without front matter. _Median_ is of the pages, _2 %_ the share of pages that save 2 % and more; then all tokens in each vocabulary.',
    `All ${count(add(({ pages }) => pages))} pages: ${percent(saved)} (o200k_base).`,
    table(
      `tree | pages | tokens | median | 2 % | ${families.join(' | ')}`,
      trees.map((row) => {
        const { median, saving } = row.savings[0]!
        const each = families.map((family) => percent(of(row, 'all', family)))
        return [row.tree.name, row.pages, count(row.tokens), percent(median), saving.toFixed(0), ...each]
      }),
    ),
    'Points of all tokens (o200k_base) that a rule saves alone · that are lost without it:',
    table(
      `tree | ${names.join(' | ')}`,
      trees.map((row) => [
        row.tree.name,
        ...names.map((name) => {
          const lost = of(row, 'all') - of(row, `without ${name}`)
          return `${of(row, `${name} alone`).toFixed(2)} · ${lost.toFixed(2)}`
        }),
      ]),
    ),
  ]
}

function formatHostile({ families, slowest, found }: HostileResults): string[] {
  return [
    `The slowest of ${families} kinds of text, as multiples of ordinary English; the limit is 8.`,
    table(
      'work | KB | ratio | text',
      [...slowest, ...found.map((one) => ({ ...one, family: 'found by searching' }))].map(
        ({ name, bytes, ratio, family }) => [name, bytes / 1000, mark(ratio.toFixed(1), ratio > 8), family],
      ),
    ),
  ]
}

function formatSearch({ quality, context, match, scale, set }: SearchResults): string[] {
  const all = quality.filter(({ kind }) => kind === 'all')
  const budgets = [...new Set(context.map(({ budget }) => budget))]
  const answered = (name: string, budget: number, kind: string): Cell =>
    percent(context.find((one) => one.name === name && one.budget === budget && one.kind === kind)!.answered)
  return [
    `${all[0]!.queries} queries over ${set === 'corpus' ? 'the shared corpus' : 'the examples'}; tokens are means of the first hit and of its whole pack.`,
    table(
      'engine | right pack first | in five | right section in five | or in `also` | tokens | of the pack',
      all.map((row) => [
        row.engine,
        ...[row.packFirst, row.packInFive, row.sectionInFive, row.sectionOrAlso].map(percent),
        row.tokensOfFirst,
        count(row.tokensOfPack),
      ]),
    ),
    'Questions whose passages within a budget have the section that answers, beside chunks of 400 tokens ranked by BM25; two questions joined by “and” need both.',
    table(
      'tokens | chunks | passages | two: chunks | two: passages',
      budgets.map((budget) => [
        count(budget),
        ...['all', 'two parts'].flatMap((kind) =>
          ['chunks', 'passages'].map((name) => answered(name, budget, kind)),
        ),
      ]),
    ),
    'Percent of questions by their `match`, and with a word replaced:',
    table(
      'kind | questions | good | partial | none | replaced',
      match.map((row) => [
        row.kind,
        row.questions,
        ...[row.good, row.partial, row.none, row.replaced].map((share) => share.toFixed(0)),
      ]),
    ),
    'Milliseconds a query, one after the other:',
    table(
      'database | packs | search p50 | p99 | context p50 | p99 | slowest hostile',
      scale.map(({ database, packs, search, context: passages, hostileMax }) => [
        database,
        count(packs),
        ...[search.p50, search.p99, passages.p50, passages.p99, hostileMax].map((ms) => ms.toFixed(0)),
      ]),
    ),
  ]
}

function formatReading({ arms, bounds }: ReadingResults): string[] {
  return [
    `[The study](../reading/README.md): 120 questions and 20 writing tasks, graded by rule and judge. Without a loss, the true loss is below ${bounds[0].toFixed(1)} % for one prompt (95 %, one-sided).`,
    table(
      'prompt | saved | right of 120 | addresses of 30 | code of 22 | tasks of 20 | with a term',
      arms.map(({ arm, savedPercent, byRule, byJudge, addresses, code, wrongTasks, withTerm }) => [
        arm,
        percent(savedPercent),
        byRule + byJudge,
        addresses[0],
        code,
        20 - wrongTasks.length,
        withTerm,
      ]),
    ),
  ]
}

function formatEval({ runs, cells }: EvalFigures): string[] {
  const share = (value: number): string => percent(100 * value)
  const groups = Map.groupBy(
    cells.filter(({ discordant, setting }) => discordant >= 0.05 && setting.kind !== 'uneven'),
    ({ setting: { documents, kind, unlikeSizes } }) =>
      `${documents}, ${typeof kind === 'number' ? `drawn, ${kind}` : kind}${unlikeSizes ? ', unlike sizes' : ''}`,
  )
  const rows = [...groups].map(([name, own]) => {
    const wrong = Math.max(...own.map((cell) => (cell.difference === 0 ? 0 : cell.as_good)))
    const covered = Math.min(...own.map((cell) => cell.covered))
    return [name, mark(share(wrong), wrong > GOALS.wrong), mark(share(covered), covered < GOALS.covered)]
  })
  return [
    `Worst of all numbers of questions, by ${count(runs)} simulated evaluations each: wrong \`as good\` at a true loss of 5 points (at most 3.5 %), and intervals with the true difference (at least 94 %). Documents that are drawn differ; the number is their correlation. Fewer than 20 say nothing about others.`,
    table('documents | wrong `as good` | covered', rows),
  ]
}

function formatPublish({ build, figures }: PublishResults): string[] {
  const times = ({ p50, p99, max }: { p50: number; p99: number; max: number }): string =>
    [p50, p99, max].map((ms) => ms.toFixed(0)).join(' · ')
  return [
    `\`pack publish\` of notes of 2 KB; \`pack build\` of them takes ${build.processorMsPerPack.toFixed(1)} ms each. Meanwhile another process publishes: milliseconds, p50 · p99 · most. Postgres runs with \`fsync=off\`.`,
    table(
      'database | packs | s | processor ms | ÷ build | MB | bytes a pack | other alone | beside | verify ms',
      figures.map((one) => [
        one.database,
        count(one.packs),
        one.seconds.toFixed(0),
        one.processorMsPerPack.toFixed(1),
        one.ofBuild.toFixed(1),
        one.megabytes,
        one.bytesPerPack === 0 ? '–' : count(one.bytesPerPack),
        times(one.writerAlone),
        times(one.writerBeside),
        one.verifyMs.toFixed(1),
      ]),
    ),
  ]
}

function formatPages({ documents, figures }: PagesResults): string[] {
  const yardstick = figures[0]!.lcp
  const shown = figures.filter(({ page }) => !/settings|(?<!PACK) \(Pro\)/.test(page))
  const rows = shown.map(({ page, requests, all, lcp, cls, tabs, axe, overflows }) => [
    page,
    requests,
    (all / 1000).toFixed(0),
    (lcp / 1000).toFixed(1),
    (lcp / yardstick).toFixed(1),
    cls.toFixed(3),
    tabs ?? '–',
    axe.length + overflows.length,
  ])
  return [
    `${documents} documents ([JSON](pages.json)); 400 kbit/s, 150 ms, processor ÷ 4; CLS while scrolling; Tabs to Copy.`,
    table('page | requests | KB | LCP, s | ÷ | CLS | Tab | findings', rows),
  ]
}

function formatStart({ rows, serve }: StartResults): string[] {
  return [
    `Processor time of all threads, as multiples of \`node -e 0\`, first with empty caches.${serve ? ` \`pack serve\` serves after ${serve.startMs} ms with ${serve.megabytes} MB.` : ''}`,
    table(
      'command | first | later | ms',
      rows.map(({ command, first, later, laterMs }) => [
        command,
        first.toFixed(1),
        later.toFixed(1),
        laterMs.toFixed(0),
      ]),
    ),
  ]
}

function formatFaults({ faults }: FaultResults): string[] {
  return [
    `${faults.length} faults, all survived as expected: [each with what was measured](faults.json). Among them: ${faults
      .slice(0, 3)
      .map(({ fault }) => fault)
      .join('; ')}.`,
  ]
}

function describe({ cores, cpu, node }: Machine): string {
  return `${cores} × ${cpu}, Node ${node.slice(1)}`
}

function mark(text: string, isMissed: boolean): string {
  return isMissed ? `${text} *` : text
}

function percent(value: number): string {
  return value.toFixed(1)
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

/** Formats a table: the first column aligned left, the others right. */
function table(head: string, rows: readonly (readonly Cell[])[]): string {
  const rule = head.split(' | ').map((_, at) => (at === 0 ? '---' : '--:'))
  return [`| ${head} |`, `|${rule.join('|')}|`, ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n')
}
