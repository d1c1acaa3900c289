// `pnpm bench:hostile`: times texts made to be slow, and searches for slower ones. Each figure is processor time ÷ that of ordinary
// English of the same size, timed in turn. Saved as bench/results/hostile.json. A figure over 8 makes it fail.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { growText } from './grow-text.ts'
import { climb, type SearchRow } from './hostile/climb.ts'
import { FAMILIES } from './hostile/families.ts'
import type { Recipe } from './hostile/generate-text.ts'
import { TextTimer, type Timing } from './hostile/text-timer.ts'
import { createProgress, describeMachine, round, type Machine } from './measure.ts'
import { ROOT } from './program.ts'
import { saveResults } from './results.ts'

const HELP = `pnpm bench:hostile [--quick] [--family NAME] [--seed N] [--recipe JSON]

  --quick         10 KB only, and no search; a few minutes
  --family NAME   only families whose name contains NAME; saves nothing
  --seed N        start of the search (1)
  --recipe JSON   time this recipe of a result, in all sizes; saves nothing
`

export interface HostileResults {
  readonly machine: Machine
  readonly families: number
  /** The slowest family of each kind of work and size. */
  readonly slowest: readonly {
    readonly name: string
    readonly bytes: number
    readonly family: string
    readonly ratio: number
  }[]
  readonly found: readonly SearchRow[]
}

/** Most times as long as ordinary English. */
export const MOST = 8

const KB = 1000
const SIZES = [10 * KB, 100 * KB, 1000 * KB]
const VARIANTS = (
  [
    ['minify-1', { scheme: 'minify-1' }],
    ['dense-2', { scheme: 'dense-2' }],
    ['max-2', { scheme: 'max-2' }],
  ] as const
).map(([name, options]) => ({ name, work: 'compress', options }) as const)
/** Everything else that is done with a text, and the other settings. */
const WORKS: readonly Timing[] = (
  [
    ['dense-2 cl100k_base', 'compress', { scheme: 'dense-2', tokenizer: 'cl100k_base' }],
    ['dense-2 best', 'compress', { scheme: 'dense-2', effort: 'best' }],
    ['build', 'build', { scheme: 'minify-1' }],
    ['read', 'read', { scheme: 'minify-1' }],
    ['read max-2', 'read', { scheme: 'max-2' }],
  ] as const
).map(([name, work, options]) => ({ name, work, options, bytes: 100 * KB }))

if (import.meta.main) await main()

async function main(): Promise<void> {
  const { values: flags } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      family: { type: 'string', default: '' },
      seed: { type: 'string', default: '1' },
      recipe: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (flags.help) return void process.stdout.write(HELP)
  const timer = new TextTimer(readEnglish(SIZES.at(-1)!))
  const families: (readonly [string, Recipe])[] =
    flags.recipe === undefined
      ? Object.entries(FAMILIES).filter(([name]) => name.includes(flags.family))
      : [['recipe', JSON.parse(flags.recipe) as Recipe]]
  const sizes = flags.quick ? SIZES.slice(0, 1) : SIZES
  const timings = [
    ...sizes.flatMap((bytes) => VARIANTS.map((variant): Timing => ({ bytes, ...variant }))),
    ...(flags.quick ? [] : WORKS),
  ]
  const slowest = await findSlowest(timer, families, timings)
  const found: SearchRow[] = []
  const isWhole = flags.family === '' && flags.recipe === undefined
  for (const [index, variant] of (isWhole && !flags.quick ? VARIANTS : []).entries()) {
    const timing = { bytes: SIZES[1]!, ...variant }
    found.push(await climb(timer, timing, { seed: Number(flags.seed) + index, tries: 200 }))
  }
  timer.stop()
  const results = { machine: describeMachine(), families: families.length, slowest, found }
  if (isWhole) await saveResults('hostile', results satisfies HostileResults)
  else process.stdout.write(`${JSON.stringify(results, null, 1)}\n`)
  if ([...slowest, ...found].some(({ ratio }) => !(ratio <= MOST))) process.exitCode = 1
}

async function findSlowest(
  timer: TextTimer,
  families: readonly (readonly [string, Recipe])[],
  timings: readonly Timing[],
): Promise<HostileResults['slowest']> {
  const tick = createProgress('families', families.length * timings.length)
  const slowest = []
  for (const timing of timings) {
    let worst = { family: '', ratio: 0 }
    for (const [family, recipe] of families) {
      const ratio = round(await timer.time(recipe, timing))
      // A text that failed has no ratio, and is the worst.
      if (!(ratio <= worst.ratio)) worst = { family, ratio }
      tick()
    }
    slowest.push({ name: timing.name, bytes: timing.bytes, ...worst })
  }
  return slowest
}

/** Reads the example packs that are written in English, in ASCII, and makes a text of at least so many bytes of them. */
function readEnglish(bytes: number): string {
  const folder = join(ROOT, 'examples', 'packs')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.mdx?$/.test(file),
  )
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8'))
  const ascii = texts.map((text) => text.normalize('NFKD').replace(/[^\n -~]/g, ''))
  return growText(
    ascii.filter((text, index) => text.length > 0.9 * texts[index]!.length),
    bytes,
  )
}
