// `pnpm bench:slowest`: searches for texts whose compression takes long; a full run is saved in bench/results.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readEnglish } from './slowest/english.ts'
import { FAMILIES } from './slowest/families.ts'
import { formatSlowest, type FamilyRow, type SearchRow } from './slowest/format-slowest.ts'
import { climb } from './slowest/search.ts'
import { TextTimer } from './slowest/text-timer.ts'
import { type Timing, VARIANTS, WORKS } from './slowest/variants.ts'
import { createProgress } from './progress.ts'

const HELP = `pnpm bench:slowest [--quick] [--only families|works|search] [--family NAME] [--seed N] [--json]

  --quick         10 KB only, a shorter search; a few minutes
  --only PART     one part instead of all three
  --family NAME   only families whose name contains NAME
  --seed N        start of the search (1)
  --recipe JSON   time this recipe of a result, in all sizes
  --json          the rows as JSON on stdout instead of tables

Every figure is the time of a text ÷ the time of ordinary English of the same size, timed in turn. A run without
flags is saved as bench/results/slowest.json and slowest.md. Exits with 1 if a figure is above 8.
`

const KB = 1000
const SIZES = [10 * KB, 100 * KB, 1000 * KB]
const MOST = 8

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    family: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    recipe: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (flags.help) process.stdout.write(HELP)
else await main()

async function main(): Promise<void> {
  const english = await readEnglish(fileURLToPath(new URL('..', import.meta.url)), SIZES.at(-1)!)
  const sizes = flags.quick ? SIZES.slice(0, 1) : SIZES
  const timer = new TextTimer(english)
  const isWanted = (part: string): boolean => flags.only === undefined || flags.only === part
  const families = listFamilies()
  const timings: readonly Timing[] = [
    ...(isWanted('families') || flags.recipe
      ? sizes.flatMap((bytes) => VARIANTS.map((variant) => ({ bytes, ...variant })))
      : []),
    ...(isWanted('works') && !flags.recipe ? WORKS : []),
  ]
  const tick = createProgress('families', families.length * timings.length)
  const rows: FamilyRow[] = []
  for (const [family, recipe] of families) {
    for (const timing of timings) {
      rows.push({ family, ...timing, ratio: await timer.time(recipe, timing) })
      tick()
    }
  }
  const found: SearchRow[] = []
  if (isWanted('search') && !flags.recipe) {
    for (const [index, variant] of VARIANTS.entries()) {
      const timing = { bytes: SIZES[flags.quick ? 0 : 1]!, ...variant }
      found.push(
        await climb(timer, timing, { seed: Number(flags.seed) + index, tries: flags.quick ? 60 : 200 }),
      )
    }
  }
  timer.stop()
  await report(rows, found)
}

function listFamilies(): [string, Parameters<TextTimer['time']>[0]][] {
  if (flags.recipe !== undefined)
    return [['recipe', JSON.parse(flags.recipe) as Parameters<TextTimer['time']>[0]]]
  return Object.entries(FAMILIES).filter(([name]) => name.includes(flags.family))
}

async function report(rows: readonly FamilyRow[], found: readonly SearchRow[]): Promise<void> {
  const json = `${JSON.stringify({ families: rows, search: found }, null, 1)}\n`
  const markdown = formatSlowest(rows, found)
  process.stdout.write(flags.json ? json : markdown)
  const isFull = !flags.quick && flags.only === undefined && flags.family === '' && flags.recipe === undefined
  if (isFull) {
    await writeFile(new URL('./results/slowest.json', import.meta.url), json)
    await writeFile(new URL('./results/slowest.md', import.meta.url), markdown)
  }
  if ([...rows, ...found].some(({ ratio }) => !(ratio <= MOST))) process.exitCode = 1
}
