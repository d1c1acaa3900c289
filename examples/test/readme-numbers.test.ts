import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ReadingResults } from '../../bench/reading.ts'
import type { RuleSavings, SavingsResults } from '../../bench/results-page.ts'
import type { SearchResults } from '../../bench/search.ts'
import type { FamilySavings } from '../../bench/vocabularies.ts'
import { runInProcess } from '../../packages/test-kit/test/run-in-process.ts'

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T
const readResult = <T>(name: string): T => readJson<T>(`bench/results/${name}.json`)
const count = (value: number): string => value.toLocaleString('en')
const percent = (value: number): string => `${value.toFixed(1)} %`
const range = (values: readonly number[]): string =>
  `${percent(Math.min(...values))} to ${percent(Math.max(...values))}`
const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)

const { savings, corpus } = readResult<SavingsResults>('savings')
const { trees } = readResult<{ trees: readonly RuleSavings[] }>('rules')
const { results } = readResult<{ results: readonly FamilySavings[] }>('vocabularies')
const { arms, bounds } = readResult<ReadingResults>('reading')
const { context } = readResult<SearchResults>('search')

const readme = readFileSync('README.md', 'utf8')
/** One line, without what pads a table. */
const flat = readme.replaceAll(/\s+/g, ' ')

const of = (scheme: string): SavingsResults['savings'][number] =>
  savings.find(({ variant }) => variant === scheme)!
const pooled = (scheme: string): string => percent(of(scheme).pooled.net)
const passages = context.filter(({ name, kind }) => name === 'passages' && kind === 'all')
const chunks = (budget: number): number =>
  context.find((one) => one.name === 'chunks' && one.kind === 'all' && one.budget === budget)!.answered
const sites = trees.map(({ savings: [all] }) => all!)
const tokens = sum(trees.map((tree) => tree.tokens))
const saved = sum(trees.map((tree, at) => tree.tokens * sites[at]!.pooled)) / tokens
const others = results.filter(({ family, variant }) => family !== 'o200k_base' && variant === 'dense-2')
const least = (path: string): string =>
  /\d[\d.]+/.exec(readJson<{ engines: { node: string } }>(path).engines.node)![0]
const drawn = readFileSync('docs/images/pack-light.svg', 'utf8').match(
  /: \d+ tokens<|= \d+ tokens<|\d+ tokens</g,
)!

/** All that the README says with numbers, with the numbers of the saved results. */
const SAID: readonly string[] = [
  `By default it saves ${percent(saved)} of the tokens of public docs sites (${pooled('minify-1')} of the documents below)`,
  `within 2,000 tokens they contain the section that answers in ${percent(passages.find(({ budget }) => budget === 2000)!.answered)} of cases`,
  '{} tokens as source, {} minified, {} with terms'.replaceAll('{}', () => /\d+/.exec(drawn.shift()!)![0]),
  ...arms.map(({ arm, byRule, byJudge, wrongTasks }) => {
    const saved = arm === 'source' ? 'sources | | | |' : `${pooled(arm)} | ${percent(of(arm).all.net)} |`
    return `| ${saved} ${byRule + byJudge} | ${20 - wrongTasks.length} |`
  }),
  `those of ${corpus.documents} real documents`,
  `On ${count(sum(trees.map(({ pages }) => pages)))} pages of ${trees.length} public sites`,
  `saves ${percent(saved)} of all tokens: ${range(sites.map((site) => site.pooled))} by site, where the median page saves ${range(sites.map(({ median }) => median))}`,
  `saves ${range(others.map((one) => one.pooled)).replace(' %', " % (Claude's published one)")}`,
  `to 120 questions and 20 writing tasks about twelve invented documents, whose prompts were ${arms
    .slice(1)
    .map(({ savedPercent }) => percent(savedPercent))
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ')} smaller`,
  `below ${bounds[0].toFixed(1)} percentage points (95 %)`,
  'documents of 15 KB or more',
  `for ${passages[0]!.questions} questions about the ${corpus.documents} documents`,
  '| chunks of 400 tokens, ranked by BM25 |',
  ...passages.map(
    ({ budget, answered }) => `| ${count(budget)} | ${percent(chunks(budget))} | ${percent(answered)} |`,
  ),
  `Node ${least('package.json')} or newer. In the clone`,
  `Node ${least('packages/cli/package.json')} or newer`,
  'Before 1.0.0 a minor version',
]
/** Names with numbers, and what a reader copies or follows. */
const NAMES = /```[^]*?```|`[^`]*`|\]\([^)]*\)|GPT-4o|Context7|\b(?:minify|dense|max)-[12]\b/g
const COMMAND = /\| ([\d,]+) \| `npx pack ([^`]*)` \|/g

describe('numbers of the README', () => {
  it('are those of the saved results', () => {
    expect(SAID.filter((text) => !flat.includes(text))).toEqual([])
  })

  it('are all known to this test', () => {
    const rest = SAID.reduce((text, said) => text.replaceAll(said, ' '), flat)
    const unknown = rest.replaceAll(COMMAND, ' ').replaceAll(NAMES, ' ')
    expect(unknown.match(/.{0,40}\d.{0,20}/g) ?? []).toEqual([])
  })

  it('are printed by the commands beside them', async () => {
    const rows = [...flat.matchAll(COMMAND)]
    expect(rows).toHaveLength(3)
    for (const [row, number, command] of rows) {
      const args = [...command!.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!)
      const { stdout, stderr } = await runInProcess(args)
      expect(`${row}\n${stdout}${stderr}`.split(number!).length).toBeGreaterThan(2)
    }
  })
})

it('the advice on dense-2 is where it saves most', () => {
  const [, small, middle, large] = of('dense-2').buckets
  expect([small!.bucket, middle!.bucket]).toEqual(['5-15 KB', '15-60 KB'])
  expect(Math.min(middle!.net, large!.net) - small!.net).toBeGreaterThan(10)
})
