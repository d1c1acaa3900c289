import { InvalidArgumentError, type Command } from 'commander'
import type { Context } from '@packs/client'
import { CliError } from '../cli-error.ts'
import { checkQuery, explainWords } from '../input/options.ts'
import { explain } from '../lock/pinned-packs.ts'
import { openSource, readSourceOptions } from '../mcp/open-source.ts'
import { escapeControls, formatCount, writeJson, writeNote, writeText } from '../output/terminal.ts'

const HELP = `
Prints whole sections, or the best paragraphs of long ones with […] where something is omitted, as plain text, each in tags that name
its pack and section. The text has at most --budget tokens of o200k_base. The packs come from inputs, a lock or a catalog, as
for "pack mcp": the input packs.lock is a lock. A catalog charges each 4,000 tokens of budget as one request.

Examples:
  $ pack context "how do I rotate a certificate" docs/
  $ pack context "retry after a timeout" docs/ --budget 4000 --list
  $ pack context "rotate a certificate" --lock packs.lock
  $ pack context "rotate a certificate" --url https://packs.example.org --json`

const MIN_BUDGET = 200
const MAX_BUDGET = 16_000

export function configure(command: Command): void {
  command
    .argument('<question>', 'what to answer; several words in quotes')
    .argument('[inputs...]', 'packs, markdown, globs or folders')
    .option('--budget <tokens>', 'maximum tokens of the text, 200 to 16,000', parseBudget, 2000)
    .option('--list', 'list the passages instead of printing them')
    .option('--url <url>', 'URL of a catalog')
    .option('--lock <file>', 'search the versions in a packs.lock')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const { budget, list, json } = command.opts<{ budget: number; list?: boolean; json?: boolean }>()
  const [question = '', ...inputs] = command.args
  await checkQuery(question)
  const opening = openSource(inputs, readSourceOptions(command, inputs))
  const source = await opening.catch((error: unknown) => {
    throw explainWords(error)
  })
  // A text has no other place for addresses.
  const links = json ? 'number' : 'inline'
  const found = await explain(undefined, () => source.context(question, { budget, links }))
  if (found.text === '' && typeof found.needed === 'number') {
    const needed = formatCount(found.needed)
    const message = `no passage fits ${formatCount(budget)} tokens: the smallest takes ${needed}`
    throw new CliError('over_budget', message, `pass --budget ${found.needed} or more`)
  }
  if (json) writeJson(describeContext(found, budget))
  else if (list) writeList(found)
  else if (found.text !== '') writeText(found.text)
  if (!json) writeSummary(found, question, budget)
}

function parseBudget(text: string): number {
  const budget = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (budget >= MIN_BUDGET && budget <= MAX_BUDGET) return budget
  throw new InvalidArgumentError('Give a whole number from 200 to 16,000.')
}

function describeContext({ passages, omitted, stale, ...found }: Context, budget: number): object {
  return {
    ok: true,
    ...found,
    tokenizer: 'o200k_base',
    budget,
    passages: passages.map(({ digest: pack_digest, ...passage }) => ({ ...passage, pack_digest })),
    omitted: omitted.map(({ digest: pack_digest, ...section }) => ({ ...section, pack_digest })),
    ...(stale && { stale }),
  }
}

function writeList({ passages }: Context): void {
  for (const { pack, version, sections, path, tokens } of passages) {
    const name = `${pack}@${version} ${sections.map((id) => `#${id}`).join(' ')}`
    writeText(`${escapeControls(`${name}  ${formatCount(tokens)} tokens  ${path.join(' › ')}`)}\n`)
  }
}

function writeSummary(
  { tokens, passages, omitted, corrected, stale }: Context,
  question: string,
  budget: number,
): void {
  if (stale) writeNote('The catalog cannot be reached: this is its last answer to the question')
  if (corrected !== null) writeNote(`Showing passages for "${escapeControls(corrected)}"`)
  const locked = omitted.filter(({ reason }) => reason === 'locked').length
  if (passages.length === 0 && locked > 0) {
    writeNote(
      `${locked === 1 ? '1 section matches' : `${locked} sections match`} beyond what the key may read`,
    )
    return writeNote('hint: set PACK_KEY to the key of a Pro account')
  }
  if (passages.length === 0) {
    writeNote(`No passage answers "${escapeControls(question)}"`)
    return writeNote('hint: use fewer words, or words that the text itself would use')
  }
  const count = passages.length === 1 ? '1 passage' : `${passages.length} passages`
  const more = omitted.length === 1 ? '1 more section matches' : `${omitted.length} more sections match`
  const rest = omitted.length === 0 ? '' : `; ${more}`
  writeNote(`${formatCount(tokens)} of ${formatCount(budget)} tokens in ${count}${rest}`)
}
