import type { Command } from 'commander'
import { exitStatus, type ExitStatus } from '../exit-status.ts'
import { openPack } from '../input/open-pack.ts'
import { formatCount } from '../output/format-table.ts'
import { writeJson, writeNote, writeResult } from '../output/terminal.ts'

const HELP = `
The preview is a cut of the content of at most 20 % of its tokens, without the header.

Examples:
  $ pack preview dist/tls.pack.json
  $ pack preview dist/tls.pack.json --json`

export function configure(command: Command): void {
  command.argument('<file>', 'a pack, or - for stdin').addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const { pack } = await openPack(command.args[0] ?? '-')
  const { slug, token_count, preview_content, preview_tokens } = pack
  if (command.opts<{ json?: boolean }>().json) {
    writeJson({
      ok: true,
      slug,
      preview: true,
      content: preview_content,
      rosetta: null,
      preview_tokens,
      token_count,
    })
    return exitStatus.done
  }
  writeResult(preview_content)
  if (process.stdout.isTTY && !preview_content.endsWith('\n')) writeResult('\n')
  const share = token_count === 0 ? 0 : (100 * preview_tokens) / token_count
  writeNote(`${formatCount(preview_tokens)} of ${formatCount(token_count)} tokens, ${share.toFixed(1)} %`)
  return exitStatus.done
}
