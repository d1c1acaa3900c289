import type { Difficulty } from '@packs/codec/pack'
import { Option, type Command } from 'commander'
import { loadConfig } from '../config/load-config.ts'
import {
  checkQuery,
  explainWords,
  CHOICES,
  addConfigOptions,
  type ConfigOptions,
  parseCount,
} from '../input/options.ts'
import { findBuiltPacks } from '../input/read-pack.ts'
import { writeJson, writeWarning } from '../output/terminal.ts'
import { describeHits, readPackFiles, searchPacks, writeHits } from '../search/search-packs.ts'

const HELP = `
The query is words, a question, an identifier or a "phrase" in quotation marks; nothing in it is an operator. Words that no pack has
are corrected. Hits are sections, or packs as a whole, best first, with the tokens of their text.
"pack context" prints their text. Inputs are packs, globs, folders (every .pack.json file in them, recursively) and - for stdin;
without inputs, the output folder of the configuration, or dist. A damaged pack is named and skipped.

Examples:
  $ pack search "why does a certificate chain fail"
  $ pack search '"key expiration"' docs/packs
  $ pack search "set a timeout" --domain databases --json`

interface SearchCommandOptions extends ConfigOptions {
  readonly limit: number
  readonly domain?: string
  readonly difficulty?: Difficulty
  readonly json?: boolean
}

export function configure(command: Command): void {
  command
    .argument('<query>', 'what to find; several words in quotes')
    .argument('[inputs...]', 'packs, globs, folders, or - for stdin')
    .option('--limit <n>', 'maximum number of hits', parseCount, 10)
    .option('--domain <slug>', 'only packs of this domain')
    .addOption(
      new Option('--difficulty <level>', 'only packs of this difficulty').choices(CHOICES.difficulty),
    )
  addConfigOptions(command).addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const { limit, domain, difficulty, config, json = false } = command.opts<SearchCommandOptions>()
  const [query = '', ...inputs] = command.args
  await checkQuery(query)
  const place = inputs.length === 0 ? await loadConfig(process.cwd(), config, true) : undefined
  const { files, failures } = findBuiltPacks(inputs, place)
  for (const failure of failures) throw explainWords(failure)
  const read = await readPackFiles(files, json)
  const request = { text: query, limit, offset: 0, scope: 'full', domain, difficulty } as const
  const found = await searchPacks(read, request, json)
  for (const { file, problem } of found.skipped)
    writeWarning(`${file} is skipped (${problem.code}): ${problem.message}; run \`pack check\``)
  if (json) writeJson(describeHits(found, limit))
  else writeHits(found, query)
}
