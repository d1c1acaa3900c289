import type { Pack } from '@packs/codec/pack'
import { createTaskThread } from '@packs/threads'
import type { Command } from 'commander'
import { openPack, type OpenPack } from '../input/read-pack.ts'
import type { InspectRequest, Inspection } from '../inspect/inspect-worker.ts'
import { locateModule } from '../package-files.ts'
import {
  cutRatio,
  formatCount,
  formatPercent,
  writeJson,
  writeNote,
  writeResult,
} from '../output/terminal.ts'
import { parseCount, BUILD_SECONDS_HELP, readBuildSeconds } from '../input/options.ts'

const HELP = `
All figures are tokens in the pack's own tokenizer. gross is what an entry saves in the content, header is what the entry
costs, net is the difference. uses counts the term in the content, refs in other expansions. Entries are sorted by net.

A pack does not contain its build options. Optimality (how close the dictionary is to the best possible one) and --rejected
come from compressing the decoded source again. The output says so if that gives a different pack.
${BUILD_SECONDS_HELP}

Examples:
  $ pack inspect dist/tls.pack.json
  $ pack inspect dist/tls.pack.json --top 10 --rejected
  $ pack inspect dist/tls.pack.json --json`

/** Number of phrases that `--rejected` lists without `--top`. */
const REJECTED = 20

export function configure(command: Command): void {
  command
    .argument('<file>', 'a pack, or - for stdin')
    .option('--top <n>', 'list only the best n entries and rejected phrases', parseCount)
    .option('--rejected', 'also list the best phrases that are not entries, and why')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const { top, rejected, json } = command.opts<{ top?: number; rejected?: boolean; json?: boolean }>()
  const opened = await openPack(command.args[0] ?? '-')
  const { pack } = opened
  const inspection = await inspectPack(opened, rejected ? (top ?? REJECTED) : undefined)
  if (json) writeJson(describeInspection(pack, inspection, top))
  else await showInspection(pack, inspection, top)
}

async function inspectPack({ pack, source }: OpenPack, rejected: number | undefined): Promise<Inspection> {
  const thread = createTaskThread(locateModule('inspect/inspect-worker'), readBuildSeconds())
  const request: InspectRequest = { pack, source, rejected }
  try {
    return await thread.run<Inspection>(request, pack.slug)
  } finally {
    await thread.close()
  }
}

function describeInspection(
  pack: Pack,
  { entries, tokenizers, rebuild }: Inspection,
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
    total_entries: entries.length,
    entries: entries.slice(0, top),
    ...(rejected && {
      rejected: rejected.map(({ phrase, uses, gross, header, net, reason }) => ({
        phrase,
        uses,
        gross,
        header,
        net,
        reason,
      })),
    }),
  }
}

async function showInspection(
  pack: Pack,
  { entries, tokenizers, rebuild }: Inspection,
  top: number | undefined,
): Promise<void> {
  const { formatEntries, formatRebuild, formatRejected, formatTokenizers } =
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
  const summary = formatRebuild(rebuild, content + header)
  writeResult(`${summary.join('\n')}\n\n${formatTokenizers(tokenizers).join('\n')}\n`)
  const shown = entries.slice(0, top)
  if (entries.length > 0) writeResult(`\n${formatEntries(shown).join('\n')}\n`)
  else writeNote('no entries: no phrase in this text saves more than its header entry costs')
  if (rebuild.rejected && rebuild.rejected.length > 0)
    writeResult(`\n${formatRejected(rebuild.rejected).join('\n')}\n`)
  if (shown.length < entries.length)
    writeNote(`${entries.length - shown.length} more entries; omit --top to see them`)
}
