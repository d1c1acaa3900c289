// `pnpm bench:expressions`: how the steps of every regular expression grow with its text, and what the engine takes for
// 100,000 of each kind of character. Saved in bench/results/regular-expressions.md.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { KINDS } from '../scripts/regular-expressions/attack-texts.ts'
import { BOUNDED, BUILT } from '../scripts/regular-expressions/exceptions.ts'
import { listExpressions } from '../scripts/regular-expressions/list-expressions.ts'
import { measureGrowth } from '../scripts/regular-expressions/measure-growth.ts'
import { formatTable } from './markdown-table.ts'

const LENGTH = 100_000
const SIZES = [1_000, 10_000, LENGTH]
const RUNS = 3
/** Longer expressions are cut in the table, also where markdown would see a link. */
const LONGEST_CODE = 80

const TEXTS = KINDS.flatMap((kind) => [kind.repeat(LENGTH), `${kind.repeat(LENGTH)}\0`])

const places = new Map<string, { place: string; source: string; flags: string }>()
for (const { file, line, code, literal } of listExpressions())
  if (literal !== undefined && !places.has(code)) places.set(code, { place: `${file}:${line}`, ...literal })
for (const [file, patterns] of BUILT)
  for (const { source, flags } of patterns) places.set(`/${source}/${flags}`, { place: file, source, flags })

const rows: string[][] = []
let without = 0
for (const [code, { place, source, flags }] of places) {
  const growth = measureGrowth(source, flags)
  if (growth === undefined) {
    without++
    continue
  }
  const isBounded = BOUNDED.has(code)
  const factor = isBounded ? growth.factor : growth.countSteps(LENGTH) / growth.countSteps(LENGTH / 2)
  const steps = SIZES.map((size) =>
    isBounded ? '' : Math.round(growth.countSteps(size)).toLocaleString('en-US'),
  )
  const milliseconds = isBounded ? '' : measureSlowest(new RegExp(source, flags)).toFixed(2)
  rows.push([`\`${place}\``, writeCode(code), factor.toFixed(2), ...steps, milliseconds])
}

const page = `# Growth of regular expressions

Written by \`pnpm bench:expressions\`. ${places.size} expressions: ${rows.length} repeat something without a small bound and are below, on
the text on which their steps grow most. The work of the other ${without} at each character is bounded.

- **growth**: steps for 100,000 repetitions, divided by those for 50,000; 2 is linear. A test holds it at 2.2.
- **steps**: of a backtracking machine, for this many repetitions.
- **ms**: processor time of the engine for all matches in 100,000 of a kind of character (${KINDS.length} kinds, each also with another end),
  the slowest kind, the least of ${RUNS} runs.

Without figures for sizes: never gets a long text; the growth is that from 200 to 400 repetitions.

${formatTable(['place', 'expression', 'growth', ...SIZES.map((size) => `steps, ${size.toLocaleString('en-US')}`), 'ms'], rows)}

Never on a long text:

${[...BOUNDED].map(([code, reason]) => `- ${writeCode(code)}: ${reason}`).join('\n')}
`
writeFileSync(fileURLToPath(new URL('results/regular-expressions.md', import.meta.url)), page)

function measureSlowest(pattern: RegExp): number {
  const global = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '') + 'g')
  return Math.max(
    ...TEXTS.map((text) => {
      let least = Infinity
      for (let run = 0; run < RUNS; run++) {
        const start = process.cpuUsage().user
        text.replace(global, '')
        least = Math.min(least, (process.cpuUsage().user - start) / 1000)
      }
      return least
    }),
  )
}

function writeCode(code: string): string {
  const cut = code.length > LONGEST_CODE ? `${code.slice(0, LONGEST_CODE)}…` : code
  return `\`\` ${cut.replaceAll('|', String.raw`\|`).replaceAll('](', ']…(')} \`\``
}
