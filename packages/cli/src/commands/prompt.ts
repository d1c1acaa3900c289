import { CodecError, systemPrompt, type SystemPrompt } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import type { Command } from 'commander'
import { DecodeError } from '../cli-error.ts'
import { exitStatus, type ExitStatus } from '../exit-status.ts'
import { findPacks } from '../input/find-packs.ts'
import { openPack } from '../input/read-pack.ts'
import { formatCount, formatPercent } from '../output/format-table.ts'
import { writeJson, writeNote, writeResult } from '../output/terminal.ts'

const HELP = `
Inputs are packs, globs, folders (every .pack.json file in them, recursively) and - for stdin. They are joined in this order.
The tokens of the whole text are counted and compared with those of the original sources.

Examples:
  $ pack prompt dist/tls.pack.json
  $ pack prompt dist/tls.pack.json dist/http.pack.json > system.txt
  $ pack prompt dist/ --json`

export function configure(command: Command): void {
  command.argument('<inputs...>', 'packs, globs, folders, or - for stdin').addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const { files, failures } = findPacks(command.args)
  for (const failure of failures) throw failure
  const packs: Pack[] = []
  for (const { path, shown } of files) packs.push((await openPack(path, shown)).pack)
  const prompt = joinPacks(packs)
  const counts = await countPrompt(prompt, packs)
  if (command.opts<{ json?: boolean }>().json) {
    const { text, rosetta, terms, instructionTokens } = prompt
    writeJson({ ok: true, text, rosetta, terms, instruction_tokens: instructionTokens, ...counts })
    return exitStatus.done
  }
  writeResult(prompt.text)
  writeNote(describeCounts(counts, prompt.instructionTokens))
  return exitStatus.done
}

/** Each pack has been decoded before, so an error here is about the joined header. */
function joinPacks(packs: readonly Pack[]): SystemPrompt {
  try {
    return systemPrompt(packs)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    const { code, message, entry } = error
    throw new DecodeError(
      code,
      `the joined header of ${packs.length} packs: ${message}`,
      'name fewer packs at once',
      { part: 'rosetta', ...(entry !== undefined && { entry }) },
      error,
    )
  }
}

interface PromptCounts {
  readonly tokenizer: string
  /** Tokens of the whole text. */
  readonly tokens: number
  /** Tokens of the original sources; null if the packs use different tokenizers. */
  readonly source_tokens: number | null
}

/** Counts in the tokenizer of the packs, or in the default one if they differ. */
async function countPrompt({ text }: SystemPrompt, packs: readonly Pack[]): Promise<PromptCounts> {
  const { loadTokenizer } = await import('@packs/codec/tokens')
  const names = new Set(packs.map((pack) => pack.tokenizer))
  const [name = 'o200k_base'] = names.size === 1 ? names : []
  const tokenizer = await loadTokenizer(name)
  const sources = packs.reduce((sum, pack) => sum + pack.uncompressed_estimate, 0)
  return {
    tokenizer: name,
    tokens: tokenizer.countTokens(text),
    source_tokens: names.size === 1 ? sources : null,
  }
}

function describeCounts({ tokens, source_tokens: sources }: PromptCounts, instruction: number): string {
  const total = `${formatCount(tokens)} tokens, including ${instruction} for the instruction`
  if (sources === null || sources === 0) return total
  const saved = sources - tokens
  const share = formatPercent((100 * Math.abs(saved)) / sources)
  if (saved < 0) return `${total}: ${formatCount(-saved)} (${share}) more than the original sources`
  return `${total}: ${formatCount(saved)} (${share}) fewer than the original sources`
}
