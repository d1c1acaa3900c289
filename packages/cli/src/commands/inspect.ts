import type { Pack } from '@packs/codec/pack'
import { createTaskThread } from '@packs/threads'
import type { Command } from 'commander'
import { openPack, type OpenPack } from '../input/read-pack.ts'
import type { InspectRequest, Inspection, Rebuild } from '../inspect/inspect-worker.ts'
import type { EntryMeasure, TokenizerCounts } from '../inspect/measure-pack.ts'
import { locateModule } from '../package-files.ts'
import { formatSaving } from '../output/build-result.ts'
import {
  cutRatio,
  formatCount,
  formatPercent,
  formatTable,
  writeJson,
  readColumns,
  wrapText,
  writeResult,
  escapeControls,
} from '../output/terminal.ts'
import { withActivity } from '../output/progress.ts'
import { BUILD_SECONDS_HELP, readBuildSeconds } from '../input/options.ts'

const HELP = `
All figures are tokens in the pack's own tokenizer. gross is what an entry saves in the content, header is what the entry costs, net is the difference. uses counts the term in the content, refs in other expansions. Entries are sorted by net.

A pack does not contain its build options. Optimality (how close the dictionary is to the best possible one) comes from compressing the decoded source again. The output says so if that gives a different pack. ${BUILD_SECONDS_HELP}

Examples:
  $ pack inspect dist/tls.pack.json
  $ pack inspect dist/tls.pack.json --json`

export function configure(command: Command): void {
  command
    .argument('<file>', 'a pack, or - for stdin')
    .option('--all', 'show every entry')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const opened = await openPack(command.args[0] ?? '-')
  const { pack } = opened
  const { json, all = false } = command.opts<{ json?: boolean; all?: boolean }>()
  const inspection = await withActivity(`inspecting ${pack.slug}`, json, () => inspectPack(opened))
  if (json) writeJson(describeInspection(pack, inspection))
  else showInspection(pack, inspection, all)
}

async function inspectPack({ pack, source }: OpenPack): Promise<Inspection> {
  const thread = createTaskThread(locateModule('inspect/inspect-worker'), readBuildSeconds())
  const request: InspectRequest = { pack, source }
  try {
    return await thread.run<Inspection>(request, pack.slug)
  } finally {
    await thread.close()
  }
}

function describeInspection(pack: Pack, { entries, tokenizers, rebuild }: Inspection): unknown {
  const { scheme, code, isIdentical, compression } = rebuild
  const optimality = cutRatio(compression.optimality)
  return {
    ok: true,
    slug: pack.slug,
    version: pack.version,
    compression: pack.compression,
    tokenizer: pack.tokenizer,
    uncompressed_estimate: pack.uncompressed_estimate,
    token_count: pack.token_count,
    rosetta_tokens: pack.rosetta_tokens,
    net_savings_pct: pack.net_savings_pct,
    optimality: isIdentical ? optimality : null,
    rebuild: {
      scheme,
      code,
      same: isIdentical,
      tokens: compression.tokens.content + compression.tokens.rosetta,
      optimality,
    },
    minify: describeMinify(pack, rebuild),
    tokenizers,
    total_entries: entries.length,
    entries,
  }
}

interface MinifyFigures extends NonNullable<Pack['minify']> {
  readonly edits: number
  readonly links: number
  /** Edits that were not made, because the text would have read differently. */
  readonly withdrawn: number
}

/** Returns what minifying did to the source of a pack; null if it holds the source itself. */
function describeMinify(
  { minify, links = [], patch = [] }: Pack,
  { compression }: Rebuild,
): MinifyFigures | null {
  return minify
    ? { ...minify, edits: patch.length, links: links.length, withdrawn: compression.withdrawn }
    : null
}

function showInspection(pack: Pack, { entries, tokenizers, rebuild }: Inspection, all: boolean): void {
  const { slug, compression, uncompressed_estimate: source } = pack
  const paid = pack.token_count + pack.rosetta_tokens
  const say = (line: string): void => writeResult(`${wrapText(line, readColumns())}\n`)
  const tokens = `${formatCount(source)} → ${formatCount(paid)} tokens`
  say(`${slug}: ${tokens}, ${formatSaving(pack)} less (${compression})`)
  const minified = describeMinify(pack, rebuild)
  if (minified !== null) {
    const { dialect, edits, links, withdrawn } = minified
    const read = ['CommonMark', ...dialect].join(', ')
    const counts = `${formatCount(edits)} edits, ${formatCount(links)} addresses numbered`
    say(`minified as ${read}: ${counts}, ${formatCount(withdrawn)} edits not made`)
  }
  for (const line of formatRebuild(rebuild, paid)) say(line)
  writeResult(`\n${formatTokenizers(tokenizers).join('\n')}\n`)
  const shown = all ? entries : entries.slice(0, MAX_ROWS)
  if (entries.length > 0) writeResult(`\n${formatEntries(shown).join('\n')}\n`)
  if (shown.length < entries.length)
    writeResult(`… ${formatCount(entries.length - shown.length)} more, --all\n`)
}

const MAX_ROWS = 20

function formatTokenizers(counts: readonly TokenizerCounts[]): string[] {
  const rows = counts.map(({ tokenizer, source, content, header, net_savings_pct: net }) => [
    tokenizer,
    ...[source, content, header].map(formatCount),
    formatPercent(net),
  ])
  return formatTable(['tokenizer', '>source', '>content', '>header', '>saved'], rows)
}

/** Formats how close the dictionary is to the optimum, if the rebuild gave the same pack. */
function formatRebuild({ scheme, code, isIdentical, compression }: Rebuild, paid: number): string[] {
  const options = `${scheme}${code ? '' : ' without code'}`
  const { optimality, tokens } = compression
  if (isIdentical) {
    const ratio = (100 * cutRatio(optimality)).toFixed(2)
    return [
      `optimality: ${ratio} % of the bound for every dictionary (compressed again as ${options}: the same pack)`,
    ]
  }
  const again = formatCount(tokens.content + tokens.rosetta)
  return [
    `optimality: unknown. Compressing the source again as ${options} gives a different pack: ${again} tokens instead of ${formatCount(paid)}.`,
    'It was built with another scheme, a glossary, another effort or another version, which a pack does not record.',
  ]
}

function formatEntries(entries: readonly EntryMeasure[]): string[] {
  const rows = entries.map(({ term, expansion, uses, references, gross, header, net }) => [
    escapeControls(term),
    ...[uses, references, gross, header, net].map(formatCount),
    escapeControls(JSON.stringify(expansion)),
  ])
  return formatTable(['term', '>uses', '>refs', '>gross', '>header', '>net', 'expansion'], rows)
}
