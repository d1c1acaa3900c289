import type { Command } from 'commander'
import { openPack } from '../input/read-pack.ts'
import { formatCount, writeJson, writeNote, writeText } from '../output/terminal.ts'

const HELP = `
The preview is at most the first 20 % of the content's tokens, but at least the first sentence, without the header.

Examples:
  $ pack preview dist/tls.pack.json`

export function configure(command: Command): void {
  command.argument('<file>', 'a pack, or - for stdin').addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const { pack } = await openPack(command.args[0] ?? '-')
  const { slug, token_count, preview_tokens, preview_content: content } = pack
  if (command.opts<{ json?: boolean }>().json)
    return writeJson({ ok: true, slug, preview: true, content, rosetta: null, preview_tokens, token_count })
  writeText(process.stdout.isTTY && !content.endsWith('\n') ? `${content}\n` : content)
  const share = token_count === 0 ? 0 : (100 * preview_tokens) / token_count
  writeNote(`${formatCount(preview_tokens)} of ${formatCount(token_count)} tokens, ${share.toFixed(1)} %`)
}
