import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { exitStatus, type ExitStatus } from '../exit-status.ts'
import { decodeText } from '../input/decode-text.ts'
import { isSameFile, writeAtomic } from '../output/write-file.ts'
import { readEncodedPack } from '../input/read-pack.ts'
import { writeJson, writeResult, writeWarning } from '../output/terminal.ts'

const HELP = `
Before anything is written, the text is checked against the pack's sha256, if it has one.

Examples:
  $ pack decode dist/tls.pack.json > tls.md
  $ pack decode dist/tls.pack.json -o tls.md
  $ cat dist/tls.pack.json | pack decode -`

export function configure(command: Command): void {
  command
    .argument('<file>', 'a pack, or - for stdin')
    .option('-o, --output <file>', 'file to write instead of stdout')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const [path = '-'] = command.args
  const { output, json } = command.opts<{ output?: string; json?: boolean }>()
  const shown = path === '-' ? '<stdin>' : path
  const isFile = output !== undefined && output !== '-'
  if (isFile && isSameFile(path, output)) {
    throw new CliError('file_exists', `${output} is the pack itself`, 'name another output file', {
      file: output,
    })
  }
  const { slug, sha256, ...pack } = await readEncodedPack(path, shown)
  const text = decodeText(pack, shown)
  const bytes = Buffer.from(text)
  const found = createHash('sha256').update(bytes).digest('hex')
  if (sha256 !== null && found !== sha256) {
    throw new CliError(
      'digest_mismatch',
      `${shown} decodes to a text that does not match its sha256: the text has ${found}`,
      'the pack was changed or damaged; get it again',
      { file: shown },
    )
  }
  if (sha256 === null) writeWarning(`${shown} has no sha256, so its text could not be checked`)
  if (isFile) writeAtomic(resolve(output), bytes)
  if (json)
    writeJson({
      ok: true,
      slug,
      file: isFile ? output : null,
      bytes: bytes.length,
      sha256: found,
      ...(isFile ? {} : { text }),
    })
  else if (!isFile) writeResult(bytes)
  return exitStatus.done
}
