import { InvalidArgumentError, type Command } from 'commander'
import type { Context } from '@packs/client'
import { CliError, exitStatus, type ExitStatus } from '../cli-error.ts'
import { addInputs, INPUTS_HELP, openInputs } from '../docs/open-inputs.ts'
import { checkQuery } from '../input/options.ts'
import { withActivity } from '../output/progress.ts'
import { explain } from '../lock/pinned-packs.ts'
import {
  escapeControls,
  formatCount,
  formatNumber,
  writeJson,
  writeNote,
  writeText,
  writeWrapped,
} from '../output/terminal.ts'

const HELP = `
Prints whole sections, or the best paragraphs of long ones with […] where something is omitted, as plain text, each in tags that name its pack and section. The text has at most --budget tokens of o200k_base; "pack search" lists sections without their text. A catalog charges each 4,000 tokens of budget as one request. The packs come from one of these:${INPUTS_HELP}

Examples:
  $ pack context "how do I rotate a certificate" docs/`

const WORDS_HINT = 'use fewer words, or words that the text itself would use'
const MIN_BUDGET = 200
const MAX_BUDGET = 16_000

export function configure(command: Command): void {
  addInputs(command.argument('<question>', 'what to answer; several words in quotes'))
    .option('--budget <tokens>', 'maximum tokens of the text, 200 to 16,000', parseBudget, 2000)
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const { budget, json } = command.opts<{ budget: number; json?: boolean }>()
  const [question = '', ...inputs] = command.args
  await checkQuery(question)
  const docs = await openInputs(command, inputs, question)
  // A text has no other place for addresses.
  const links = json ? 'number' : 'inline'
  const find = (): Promise<Context> => explain(undefined, () => docs.context(question, { budget, links }))
  const found = await withActivity('searching', json, find)
  const { needed } = found
  if (json) writeJson(describeContext(found))
  else if (needed !== null) {
    const message = `no passage fits ${formatCount(budget)} tokens: the smallest takes ${formatCount(needed)}`
    throw new CliError('over_budget', message, `pass --budget ${needed} or more`)
  } else {
    if (found.passages.length > 0) writeText(found.text)
    writeSummary(found, question)
  }
  return needed === null ? exitStatus.done : exitStatus.findings
}

function parseBudget(text: string): number {
  const budget = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (budget >= MIN_BUDGET && budget <= MAX_BUDGET) return budget
  throw new InvalidArgumentError('Give a whole number from 200 to 16,000.')
}

function describeContext({ passages, omitted, stale, ...found }: Context): object {
  return {
    ok: true,
    ...found,
    tokenizer: 'o200k_base',
    passages: passages.map(({ digest: pack_digest, ...passage }) => ({ ...passage, pack_digest })),
    omitted: omitted.map(({ digest: pack_digest, ...section }) => ({ ...section, pack_digest })),
    ...(stale && { stale }),
  }
}

/** Says what the text does not say. */
function writeSummary(
  { tokens, budget, passages, omitted, corrected, stale }: Context,
  question: string,
): void {
  if (stale) writeNote('The catalog cannot be reached: this is its last answer to the question')
  const locked = omitted.filter(({ reason }) => reason === 'locked').length
  if (passages.length === 0 && locked > 0) {
    const verb = locked === 1 ? 'matches' : 'match'
    writeNote(`${formatNumber(locked, 'section')} ${verb} beyond what the key may read`)
    return writeNote('hint: set PACK_KEY to the key of a Pro account')
  }
  if (passages.length === 0) {
    writeNote(`No passage answers "${escapeControls(question)}"`)
    const other = corrected === null ? WORDS_HINT : `did you mean "${corrected}"?`
    return writeWrapped(`hint: ${other}`)
  }
  const count = formatNumber(passages.length, 'passage')
  const more = omitted.length === 1 ? '1 more section matches' : `${omitted.length} more sections match`
  const rest = omitted.length === 0 ? '' : `; ${more}: raise --budget`
  writeNote(`${formatCount(tokens)} of ${formatCount(budget)} tokens in ${count}${rest}`)
}
