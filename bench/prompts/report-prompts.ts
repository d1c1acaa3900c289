import { formatTable } from '../markdown-table.ts'
import { medianOf } from '../median.ts'
import type { BenchResults } from '../results.ts'
import type { PromptFaults, SetResult } from './measure-set.ts'
import type { RandomResults } from './random-sets.ts'

/** Results of `pnpm bench:prompts`. */
export interface PromptResults extends Pick<BenchResults, 'machine'> {
  readonly corpus: 'corpus' | 'examples'
  /** Each document in a prompt of its own, added up by folder and scheme. */
  readonly alone: readonly SetResult[]
  readonly sets: readonly SetResult[]
  /** Of all prompts above. */
  readonly faults: PromptFaults
  readonly random: RandomResults
}

/** Upper limit for the time of composing ÷ that of compressing the joined sources, as a median. */
const COMPRESS_GOAL = 1.5

const HEAD = ['folder', 'documents', 'scheme', 'sources', 'sum of packs', 'as built', 'together', 'chosen']

const INTRO = `# Prompts

Tokens of o200k_base that prompts of several documents save, in percent of the sources in the same frames; instruction, header and
frames are counted. _Sum of packs_ is what the tables of the packs say: content and header ÷ source, without instruction and frames.
_As built_ merges the packs into one prompt, _together_ compresses all sources anew, _chosen_ is the cheapest of these and the sources.`

/** Formats a run as markdown. */
export function formatPrompts(results: PromptResults): string {
  const { alone, sets, faults, random, machine } = results
  const timed = Map.groupBy(
    sets.filter(({ time }) => time !== undefined),
    ({ scheme }) => scheme,
  )
  const sections = [
    INTRO,
    `${machine.cores} × ${machine.cpu}, ${machine.memoryGB} GB, Node ${machine.node.slice(1)}.`,
    '## One document alone',
    'Each document in a prompt of its own, all of a folder added up.',
    formatTable(HEAD, alone.map(formatSet)),
    '## Several documents',
    formatTable(HEAD, sets.map(formatSet)),
    '## Faults',
    formatTable(
      ['prompts', 'number', 'errors', 'not restored', 'over the sources', 'miscounted'],
      [
        ['above', String(alone.reduce((sum, { documents }) => sum + documents, 0) + sets.length), '0'].concat(
          listFaults(faults),
        ),
        ['random sets', String(random.sets), String(random.errors.length)].concat(listFaults(random)),
      ],
    ),
    `The random sets have ${random.packs.toLocaleString('en-US')} packs in all. ` +
      `Chosen: ${Object.entries(random.chosen)
        .map(([plan, times]) => `${plan} ${times}`)
        .join(', ')}.`,
    ...random.errors.map((error) => `- ${error}`),
    '## Time',
    'Processor time of composing ÷ that of tokenising the sources once, and ÷ that of compressing them joined to one text; medians.',
    formatTable(
      ['scheme', 'sets', '÷ tokenising', '÷ compressing', 'goal', ''],
      [...timed].map(([scheme, some]) => {
        const [tokenize, compress] = [
          medianOf(some.map(({ time }) => time!.tokenize)),
          medianOf(some.map(({ time }) => time!.compress)),
        ]
        const verdict = compress <= COMPRESS_GOAL ? 'met' : 'missed'
        return [
          scheme,
          String(some.length),
          `${tokenize.toFixed(1)}×`,
          `${compress.toFixed(2)}×`,
          `≤ ${COMPRESS_GOAL}×`,
          verdict,
        ]
      }),
    ),
  ]
  return `${sections.join('\n\n')}\n`
}

function listFaults({ notRestored, overSources, miscounted }: PromptFaults): string[] {
  return [notRestored, overSources, miscounted].map(String)
}

function formatSet(set: SetResult): string[] {
  const { folder, documents, scheme, sources, packs, bodies, asBuilt, together, chosen } = set
  return [
    folder,
    String(documents),
    scheme,
    sources.toLocaleString('en-US'),
    percent(packs, bodies),
    percent(asBuilt, sources),
    together === null ? '–' : percent(together, sources),
    percent(chosen, sources),
  ]
}

function percent(paid: number, source: number): string {
  return `${(source === 0 ? 0 : 100 * (1 - paid / source)).toFixed(1)} %`
}

const BEGIN = '<!-- prompts: begin -->'
const END = '<!-- prompts: end -->'

/**
 * Returns a page with the figures of a run between its two `prompts` comments.
 *
 * @throws {Error} when the comments are not there
 */
export function putPromptFigures(page: string, results: PromptResults): string {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin < 0 || end < begin) throw new Error(`the page has no ${BEGIN} followed by ${END}`)
  return `${page.slice(0, begin + BEGIN.length)}\n\n${formatFigures(results)}\n\n${page.slice(end)}`
}

/** Documents of the sets that the pages show. */
const SHOWN = 15

/** Formats the prompts of fifteen documents as a table: sources, as built, composed. */
function formatFigures({ sets }: PromptResults): string {
  const shown = sets.filter(({ documents, scheme }) => documents === SHOWN && scheme !== 'glossary-1')
  return formatTable(
    [
      'fifteen packs in one prompt',
      'scheme',
      'sources',
      'as built',
      'composed',
      'sum of packs',
      'as built',
      'composed',
    ],
    shown.map(({ folder, scheme, sources, packs, bodies, asBuilt, chosen }) => [
      folder,
      scheme,
      ...[sources, asBuilt, chosen].map((tokens) => tokens.toLocaleString('en-US')),
      percent(packs, bodies),
      percent(asBuilt, sources),
      percent(chosen, sources),
    ]),
  )
}
