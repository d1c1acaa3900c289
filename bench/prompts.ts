// `pnpm bench:prompts`: what prompts of several packs cost in each way to write them, and whether any is wrong.
import { readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Scheme } from '@packs/codec'
import { loadCorpus, type BenchDocument } from './documents.ts'
import { createProgress } from './progress.ts'
import { createSetMeter, poolSets, type SetMeter, type SetResult } from './prompts/measure-set.ts'
import { composeRandomSets } from './prompts/random-sets.ts'
import { formatPrompts, putPromptFigures, type PromptResults } from './prompts/report-prompts.ts'
import { describeMachine } from './results.ts'

const HELP = `pnpm bench:prompts [--sets N] [--folder NAME] [--scheme NAME] [--json]

  --sets N        number of random sets instead of 1,000
  --folder NAME   sets of one folder of the corpus
  --scheme NAME   glossary-1, dense-1 or max-1 instead of all
  --json          the results as JSON on stdout instead of tables

A run over the shared corpus without --folder and --scheme, and with 1,000 sets or more, is saved as
bench/results/prompts.json and prompts.md, and in docs/prompts.md.
`

const SCHEMES: readonly Scheme[] = ['glossary-1', 'dense-1', 'max-1']
/** Documents of a set. A single one is measured for every document. */
const SIZES = [5, 15, 50]
const RANDOM_SETS = 1000
/** Texts of this size are timed. Below it, the fixed costs of a call decide. */
const TIMED_TOKENS = 20_000

const { values: flags } = parseArgs({
  options: {
    sets: { type: 'string', default: String(RANDOM_SETS) },
    folder: { type: 'string' },
    scheme: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (flags.help) process.stdout.write(HELP)
else await main()

async function main(): Promise<void> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const { name, documents } = await loadCorpus(root)
  const schemes = SCHEMES.filter((scheme) => flags.scheme === undefined || scheme === flags.scheme)
  const folders = groupFolders(documents, name)
  const meter = createSetMeter()
  const alone = measureAlone(folders, schemes, meter)
  const sets = measureSets(folders, schemes, meter)
  const random = await composeRandomSets(
    documents,
    Number(flags.sets),
    createProgress('random sets', Number(flags.sets)),
  )
  const results: PromptResults = {
    machine: describeMachine(),
    corpus: name,
    alone,
    sets,
    faults: meter.faults(),
    random,
  }
  await report(results, root)
}

/** Measures each document in a prompt of its own, and adds up those of a folder. */
function measureAlone(folders: readonly Folder[], schemes: readonly Scheme[], meter: SetMeter): SetResult[] {
  const own = folders.filter(({ isMixed }) => !isMixed)
  const advance = createProgress('alone', schemes.length * own.length)
  return own.flatMap(({ folder, members }) =>
    schemes.map((scheme) => {
      const results = members.map((one) => ({ folder, ...meter.measure([one], scheme, false) }))
      advance()
      return poolSets(results)
    }),
  )
}

function measureSets(folders: readonly Folder[], schemes: readonly Scheme[], meter: SetMeter): SetResult[] {
  const jobs = folders.flatMap(({ folder, members }) =>
    SIZES.filter((size) => size <= members.length).flatMap((size) =>
      schemes.map((scheme) => ({ folder, scheme, members: members.slice(0, size) })),
    ),
  )
  const advance = createProgress('sets', jobs.length)
  return jobs.map(({ folder, scheme, members }) => {
    const isTimed = members.reduce((sum, { tokens }) => sum + tokens, 0) >= TIMED_TOKENS
    const result = { folder, ...meter.measure(members, scheme, isTimed) }
    advance()
    return result
  })
}

interface Folder {
  readonly folder: string
  readonly members: readonly BenchDocument[]
  /** Documents of all folders, in turn. */
  readonly isMixed: boolean
}

function groupFolders(documents: readonly BenchDocument[], corpus: string): Folder[] {
  const groups = Map.groupBy(documents, ({ file }) => dirname(file))
  const folders = [...groups].map(([folder, members]) => ({
    folder: folder === '.' ? corpus : folder,
    members,
    isMixed: false,
  }))
  const most = Math.max(0, ...folders.map(({ members }) => members.length))
  const mixed = Array.from({ length: most }, (_, at) => folders.flatMap(({ members }) => members[at] ?? []))
  const all =
    folders.length > 1 ? [...folders, { folder: 'all', members: mixed.flat(), isMixed: true }] : folders
  return all.filter(({ folder }) => flags.folder === undefined || folder === flags.folder)
}

async function report(results: PromptResults, root: string): Promise<void> {
  const json = `${JSON.stringify(results, null, 2)}\n`
  const markdown = formatPrompts(results)
  process.stdout.write(flags.json ? json : markdown)
  const isWhole = flags.folder === undefined && flags.scheme === undefined
  if (isWhole && results.random.sets >= RANDOM_SETS && results.corpus === 'corpus') {
    await writeFile(new URL('./results/prompts.json', import.meta.url), json)
    await writeFile(new URL('./results/prompts.md', import.meta.url), markdown)
    const page = `${root}/docs/prompts.md`
    await writeFile(page, putPromptFigures(await readFile(page, 'utf8'), results))
  }
  const { faults, random } = results
  const wrong = [faults, random].flatMap((one) => [one.notRestored, one.overSources, one.miscounted])
  if (random.errors.length > 0 || wrong.some((count) => count > 0)) process.exitCode = 1
}
