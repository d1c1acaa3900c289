import type { Pack } from '@packs/codec/pack'
import type { Rejection, Triage } from '@packs/codec/compress'
import type { Command } from 'commander'
import { exitStatus, type ExitStatus } from '../exit-status.ts'
import { openPack, type OpenPack } from '../input/open-pack.ts'
import {
  countInTokenizers,
  measureEntries,
  type EntryMeasure,
  type TokenizerCounts,
} from '../inspect/measure-pack.ts'
import type { Rebuild } from '../inspect/rebuild-pack.ts'
import { cutRatio, formatCount, formatPercent } from '../output/format-table.ts'
import { writeJson, writeNote, writeResult } from '../output/terminal.ts'
import { parseCount } from './option-values.ts'

const HELP = `
Every figure is counted in the pack's own tokenizer: gross is what an entry saves in the content, header what its
pair costs, net the difference. uses are in the content, refs in other expansions. The best stand first.

A pack does not hold what it was built with: optimality (how near the dictionary is to the best possible one) and
--rejected come from compressing the decoded source again. Where that gives another pack, it is said.

Examples:
  $ pack inspect dist/tls.pack.json
  $ pack inspect dist/tls.pack.json --top 10 --rejected
  $ pack inspect dist/tls.pack.json --json`

/** Phrases listed by `--rejected` without `--top`. */
const REJECTED = 20

export function configure(command: Command): void {
  command
    .argument('<file>', 'a pack, or - for stdin')
    .option('--top <n>', 'only the best entries, and rejected phrases', parseCount)
    .option('--rejected', 'also the best phrases that are no entries, and why')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const { top, rejected, json } = command.opts<{ top?: number; rejected?: boolean; json?: boolean }>()
  const opened = await openPack(command.args[0] ?? '-')
  const { pack } = opened
  const inspection = await inspectPack(opened, rejected ? (top ?? REJECTED) : undefined)
  if (json) writeJson(describeInspection(pack, inspection, top))
  else await showInspection(pack, inspection, top)
  return exitStatus.done
}

interface Inspection {
  readonly entries: readonly EntryMeasure[]
  readonly tokenizers: readonly TokenizerCounts[]
  readonly rebuild: Rebuild
  readonly triage: Triage
}

async function inspectPack({ pack, source }: OpenPack, rejected: number | undefined): Promise<Inspection> {
  const { loadTokenizer } = await import('@packs/codec/tokens')
  const { rebuildPack } = await import('../inspect/rebuild-pack.ts')
  const { triageDocument } = await import('@packs/codec/compress')
  const tokenizer = await loadTokenizer(pack.tokenizer)
  return {
    entries: measureEntries(pack.content, pack.rosetta, tokenizer).toSorted((a, b) => b.net - a.net),
    tokenizers: await countInTokenizers(pack, source),
    rebuild: rebuildPack(pack, source, rejected),
    triage: triageDocument(source),
  }
}

function describeInspection(
  pack: Pack,
  { entries, tokenizers, rebuild, triage }: Inspection,
  top: number | undefined,
): unknown {
  const { scheme, code, isIdentical, compression, rejected } = rebuild
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
    tokenizers,
    triage: describeTriage(triage),
    total_entries: entries.length,
    entries: entries.slice(0, top),
    ...(rejected && { rejected: rejected.map(describeRejected) }),
  }
}

function describeTriage({ tokens, proseRepetition, expected, ...shares }: Triage): unknown {
  const all = Object.entries({ ...shares, prose_repetition: proseRepetition })
  return { tokens, ...Object.fromEntries(all.map(([name, share]) => [name, cutRatio(share)])), expected }
}

function describeRejected({ phrase, uses, gross, header, net, reason }: Rejection): unknown {
  return { phrase, uses, gross, header, net, reason }
}

async function showInspection(
  pack: Pack,
  { entries, tokenizers, rebuild, triage }: Inspection,
  top: number | undefined,
): Promise<void> {
  const { formatEntries, formatRebuild, formatRejected, formatTokenizers, formatTriage } =
    await import('../inspect/report-inspection.ts')
  const {
    slug,
    compression,
    uncompressed_estimate: source,
    token_count: content,
    rosetta_tokens: header,
  } = pack
  const counts = [source, content, header].map(formatCount)
  writeResult(
    `${slug}: ${formatPercent(pack.net_savings_pct)} net saved (${compression}; source ${counts[0]}, content ${counts[1]}, header ${counts[2]} tokens)\n`,
  )
  const summary = [...formatRebuild(rebuild, content + header), ...formatTriage(triage)]
  writeResult(`${summary.join('\n')}\n\n${formatTokenizers(tokenizers).join('\n')}\n`)
  const shown = entries.slice(0, top)
  if (entries.length > 0) writeResult(`\n${formatEntries(shown).join('\n')}\n`)
  else writeNote('no entries: nothing in this text pays for a header')
  if (rebuild.rejected && rebuild.rejected.length > 0)
    writeResult(`\n${formatRejected(rebuild.rejected).join('\n')}\n`)
  if (shown.length < entries.length)
    writeNote(`${entries.length - shown.length} more entries; leave --top out to see them`)
}
