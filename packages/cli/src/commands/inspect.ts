import { parseRosetta } from '@packs/codec'
import { resolveExpansions } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { createTaskThread } from '@packs/threads'
import type { Command } from 'commander'
import { openPack, type OpenPack } from '../input/read-pack.ts'
import type { InspectRequest, Inspection, Rebuild } from '../inspect/inspect-worker.ts'
import type { EntryMeasure, TokenizerCounts } from '../inspect/measure-pack.ts'
import { locateModule } from '../package-files.ts'
import { formatParts, formatSaving, formatVerdict } from '../output/build-result.ts'
import {
  cutRatio,
  formatCount,
  formatTable,
  writeJson,
  writeLine,
  escapeControls,
} from '../output/terminal.ts'
import { withActivity } from '../output/progress.ts'
import { BUILD_SECONDS_HELP, readBuildSeconds } from '../input/options.ts'

const HELP = `
Terms are sorted by the tokens that they save, in the pack's own tokenizer; uses counts a term in the text. --all shows every term, and for those who tune packs: refs (uses in other expansions), gross (tokens saved in the text), header (tokens that the entry costs), and what minifying did not do. The source is compressed again, because a pack does not contain its build options. ${BUILD_SECONDS_HELP}

Examples:
  $ pack inspect dist/tls.pack.json`

export function configure(command: Command): void {
  command
    .argument('<file>', 'a pack, or - for stdin')
    .option('--all', 'show every term, and figures for those who tune packs')
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
  const { slug, version, tokenizer, uncompressed_estimate, token_count, rosetta_tokens, net_savings_pct } =
    pack
  const names = { slug, version, compression: pack.compression, tokenizer }
  const counts = { uncompressed_estimate, token_count, rosetta_tokens, net_savings_pct }
  const tokens = compression.tokens.content + compression.tokens.rosetta
  return {
    ok: true,
    ...names,
    ...counts,
    optimality: isIdentical ? optimality : null,
    rebuild: { scheme, code, same: isIdentical, tokens, optimality },
    minify: describeMinify(pack, rebuild),
    tokenizers,
    total_entries: entries.length,
    entries,
  }
}

type MinifyFigures = NonNullable<Pack['minify']> & Record<'edits' | 'links' | 'withdrawn', number>

/** Returns what minifying did to the source of a pack; null if it holds the source itself. */
function describeMinify({ minify, links = [], patch = [] }: Pack, rebuild: Rebuild): MinifyFigures | null {
  const { withdrawn } = rebuild.compression
  return minify ? { ...minify, edits: patch.length, links: links.length, withdrawn } : null
}

function showInspection(pack: Pack, { entries, tokenizers, rebuild }: Inspection, all: boolean): void {
  const { saved } = rebuild.compression
  const measured = { pack: { ...pack, entries: entries.length }, scheme: pack.compression, saved }
  writeLine(formatVerdict([measured], pack.slug))
  const parts = formatParts([measured])
  // Only the same pack again says by which rules it saves.
  if (rebuild.isIdentical && parts !== '') writeLine(parts)
  writeLine(describeScheme(pack, rebuild, all))
  if (all && !rebuild.isIdentical) writeLine(describeRebuild(rebuild, pack.token_count + pack.rosetta_tokens))
  const shown = all ? entries : entries.slice(0, MAX_ROWS)
  const tables = [
    formatTokenizers(tokenizers),
    ...(entries.length > 0 ? [formatEntries(shown, pack, all)] : []),
  ]
  for (const line of tables.flatMap((table) => ['', ...table])) writeLine(line)
  if (shown.length < entries.length) writeLine(`… ${formatCount(entries.length - shown.length)} more, --all`)
}

/** Such as `scheme minify-1, 126 edits, 11 addresses numbered`. */
function describeScheme(pack: Pack, rebuild: Rebuild, all: boolean): string {
  const minified = describeMinify(pack, rebuild)
  if (minified === null) return `scheme ${pack.compression}`
  const { dialect, edits, links, withdrawn } = minified
  const read = dialect.length === 0 ? '' : `, read as ${dialect.join(', ')}`
  const counts = { edits, 'addresses numbered': links, 'edits not made': all ? withdrawn : 0 }
  const named = Object.entries(counts).flatMap(([what, n]) => (n === 0 ? [] : `, ${formatCount(n)} ${what}`))
  return `scheme ${pack.compression}${read}${named.join('')}`
}

const MAX_ROWS = 20

function formatTokenizers(counts: readonly TokenizerCounts[]): string[] {
  const rows = counts.map(({ tokenizer, source, content, header }) => [
    tokenizer,
    ...[source, content + header].map(formatCount),
    formatSaving({ uncompressed_estimate: source, token_count: content, rosetta_tokens: header }),
    ...(header > 0 ? [content, header].map(formatCount) : []),
  ])
  const parts = counts.some(({ header }) => header > 0) ? ['>text', '>header'] : []
  return formatTable(['tokenizer', '>source', '>paid', '>less', ...parts], rows)
}

/** Says that a rebuild gave another pack, so that its figures are not those of this pack. */
function describeRebuild({ scheme, code, compression: { tokens } }: Rebuild, paid: number): string {
  const options = `${scheme}${code ? '' : ' without code'}`
  const again = formatCount(tokens.content + tokens.rosetta)
  const change = `Compressing the source again as ${options} gives a different pack: ${again} tokens instead of ${formatCount(paid)}.`
  return `${change} It was built with another scheme, glossary, effort or version.`
}

function formatEntries(entries: readonly EntryMeasure[], { rosetta }: Pack, all: boolean): string[] {
  const full = resolveExpansions(rosetta)
  const texts = new Map(parseRosetta(rosetta).entries.map(({ term }, at) => [term, full[at]]))
  const rows = entries.map(({ term, uses, references, gross, header, net }) => [
    escapeControls(term),
    escapeControls(JSON.stringify(texts.get(term))),
    ...[net, uses, ...(all ? [references, gross, header] : [])].map(formatCount),
  ])
  const more = all ? ['>refs', '>gross', '>header'] : []
  return formatTable(['term', 'stands for', '>saved', '>uses', ...more], rows)
}
