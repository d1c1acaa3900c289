import { resolve } from 'node:path'
import type { ComposeOptions } from '@packs/codec/compress'
import type { Pack } from '@packs/codec/pack'
import { type Command, Option } from 'commander'
import { CliError, usageError } from '../cli-error.ts'
import {
  createSchemeOption,
  BUILD_SECONDS_HELP,
  CHOICES,
  parseCount,
  readBuildSeconds,
} from '../input/options.ts'
import { writeJson, writeLine, writeNote, writeStyled, writeText, formatNumber } from '../output/terminal.ts'
import { writeAtomic } from '../output/write-file.ts'
import type { ComposedSet, SetRequest } from '../prompt/compose-set.ts'
import { openComposer } from '../prompt/open-composer.ts'
import { readPacks } from '../prompt/read-packs.ts'
import {
  describePrompt,
  formatPlans,
  reportLinks,
  reportNotes,
  reportShares,
  type PromptInputs,
} from '../prompt/report-prompt.ts'

const HELP = `
Inputs are packs, markdown, globs, folders (every .pack.json and markdown file in them, recursively), - for a pack on stdin, packs.lock for all of its packs and, where no file has such a name, packs of packs.lock or, with --url, of a catalog. They appear in this order. The prompt has one header for all packs, which are compressed again for it (one pack keeps its own), if that saves 2 % and 40 tokens of the whole; otherwise it has none. The text goes to stdout, what it costs to stderr. In the text, links have numbers; --links FILE writes number → address as JSON, from which "pack links" resolves an answer. --links inline writes the addresses into the text, and --links drop omits them. --json has the header as "rosetta", and "links". ${BUILD_SECONDS_HELP.replace('one source', 'one prompt')}

Examples:
  $ pack prompt docs/ > system.txt         markdown; a faulty or unreadable file is an error
  $ pack prompt --plan dist/               what it costs, without the text
  $ pack prompt dist/ --links links.json > system.txt`

interface PromptOptions extends Pick<ComposeOptions, 'scheme' | 'tokenizer' | 'budget' | 'code'> {
  readonly plan?: boolean
  /** A form, or the file for the addresses. */
  readonly links?: string
  readonly fit?: boolean
  readonly lock?: string
  readonly url?: string
  readonly json?: boolean
}

export function configure(command: Command): void {
  command
    .argument('<inputs...>', 'packs, markdown, globs, folders, names of packs, packs.lock, or - for stdin')
    .option('--plan', 'print what the prompt costs, and no text')
    .option('--budget <tokens>', 'maximum tokens of the whole prompt', parseCount)
    .option('--fit', 'take packs in order, until one does not fit into the budget')
    .addOption(createSchemeOption('of the header, none for the sources; default: the densest of the packs'))
    .option('--links <file>', 'file for the addresses of numbered links; or inline, or drop')
    .option('--no-code', 'dense-2, max-2: leave code unchanged')
    .addOption(new Option('--tokenizer <name>', 'default: that of the packs').choices(CHOICES.tokenizer))
    .option('--lock <path>', 'lock whose packs can be named; default: packs.lock beside package.json')
    .option('--url <address>', 'catalog whose packs can be named')
    .addHelpText('after', HELP)
    // Without --no-code, each pack decides.
    .setOptionValue('code', undefined)
}

export async function run(command: Command): Promise<void> {
  const options = command.opts<PromptOptions>()
  if (options.fit && options.budget === undefined)
    throw usageError('--fit needs a budget', 'name one with --budget')
  const isQuiet = options.json ?? false
  const isPartEnough = options.fit ?? false
  const { lock, url } = options
  const read = await readPacks(command.args, { isPartEnough, isQuiet, lock, url })
  const { packs, shown, empty } = read
  if (empty.length > 0) writeNote(`skipped ${formatNumber(empty.length, 'pack')} without text`)
  const request = createRequest(packs, options)
  const prompt = await compose(request, shown, isQuiet)
  const inputs: PromptInputs = {
    shown,
    empty,
    slugs: packs.map(({ slug }) => slug),
    sourceTokens: sumSources(packs.slice(0, prompt.packs), prompt.tokenizer),
  }
  const { file } = readLinksOption(options)
  if (file !== undefined && !options.plan)
    writeAtomic(resolve(file), Buffer.from(`${JSON.stringify(prompt.links, null, 2)}\n`))
  if (options.json) return writeJson(describePrompt(prompt, inputs, options.plan ?? false))
  if (!options.plan) writeText(prompt.text)
  for (const line of formatPlans(prompt, inputs))
    if (options.plan) writeLine(line)
    else writeStyled(line)
  if (options.links === undefined && !options.plan) reportLinks(prompt)
  reportNotes(prompt, inputs)
}

async function compose(
  request: SetRequest,
  shown: readonly string[],
  isQuiet: boolean,
): Promise<ComposedSet> {
  const composer = openComposer(readBuildSeconds(), isQuiet)
  try {
    return await composer.compose(request, shown)
  } catch (error) {
    if (error instanceof CliError && !isQuiet) reportShares(error)
    throw error
  } finally {
    await composer.close()
  }
}

function readLinksOption({ links }: PromptOptions): {
  readonly form: ComposeOptions['links']
  readonly file?: string
} {
  if (links === 'inline' || links === 'drop') return { form: links }
  if (links === '') throw usageError('the file after --links is empty', 'name a file, or use inline or drop')
  return { form: 'number', ...(links !== undefined && { file: links }) }
}

function createRequest(packs: readonly Pack[], options: PromptOptions): SetRequest {
  const { scheme, tokenizer, budget, code, fit } = options
  const { form } = readLinksOption(options)
  return {
    documents: packs,
    options: { scheme, tokenizer, budget, code, links: form, ...(fit && { fit: 'first' }) },
  }
}

/** Adds up the tokens of the sources as the packs state them. */
function sumSources(packs: readonly Pack[], tokenizer: Pack['tokenizer']): number | null {
  if (packs.some((pack) => pack.tokenizer !== tokenizer)) return null
  return packs.reduce((sum, pack) => sum + pack.uncompressed_estimate, 0)
}
