import { hash } from 'node:crypto'
import { damagedError, decodeText, parseDocument } from '@packs/files'
import { resolve } from 'node:path'
import { Option, type Command } from 'commander'
import { fileError } from '../cli-error.ts'
import { isSameFile, writeAtomic } from '../output/write-file.ts'
import { checkSource, readEncodedPack } from '../input/read-pack.ts'
import { escapeControls, writeJson, writeStyled, writeText, writeWarning } from '../output/terminal.ts'

const HELP = `
Before anything is written, the text is checked against the pack's sha256, if it has one. It is the body of the source file, without front matter. --with-front-matter gives the whole file, byte for byte. A source that minifying does not turn into the text that models read is refused (invalid_patch). --text gives that text, in which links have numbers.

Examples:
  $ pack decode dist/tls.pack.json > tls.md
  $ cat dist/tls.pack.json | pack decode -`

export function configure(command: Command): void {
  command
    .argument('<file>', 'a pack, or - for stdin')
    .option('-o, --output <file>', 'file to write instead of stdout')
    .option('--with-front-matter', 'write the front matter of the source too')
    .addOption(new Option('--text', 'write what models read').conflicts('withFrontMatter'))
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const [path = '-'] = command.args
  type Options = { output?: string; text?: boolean; withFrontMatter?: boolean; json?: boolean }
  const { output, json, withFrontMatter = false, text: isText = false } = command.opts<Options>()
  const shown = path === '-' ? '<stdin>' : path
  const isFile = output !== undefined && output !== '-'
  if (isFile && isSameFile(path, output)) {
    throw fileError('file_exists', output, 'is the pack itself', 'name another output file')
  }
  const { slug, sha256: digest, frontMatter, document, ...pack } = await readEncodedPack(path, shown)
  const { content, rosetta, text_sha256: textDigest } = pack
  const isMinified = textDigest !== undefined || pack.patch !== undefined
  const body = decodeText(isText ? { content, rosetta } : pack, shown)
  const sha256 = isText && isMinified ? (textDigest ?? null) : digest
  const found = hash('sha256', body)
  if (sha256 !== null && found !== sha256) {
    throw damagedError(shown, `decodes to a text that does not match its sha256: the text has ${found}`)
  }
  if (sha256 === null) writeWarning(`${shown} has no sha256, so its text could not be checked`)
  if (isMinified && !isText) await checkSource(document, shown)
  if (withFrontMatter && frontMatter !== null) await checkFrontMatter(document, shown)
  const text = withFrontMatter ? `${frontMatter ?? ''}${body}` : body
  const bytes = Buffer.from(text)
  if (isFile) writeAtomic(resolve(output), bytes)
  const file = { file: isFile ? output : null, bytes: bytes.length, sha256: hash('sha256', text) }
  const hasFrontMatter = frontMatter !== null && { front_matter: withFrontMatter }
  if (json) writeJson({ ok: true, slug, ...file, ...hasFrontMatter, ...(isFile ? {} : { text }) })
  else if (!isFile) writeText(text)
  // On a terminal a person reads the note; in a pipe it would look like an error.
  if (!json && !isText && process.stderr.isTTY) noteFrontMatter(frontMatter !== null, withFrontMatter, shown)
}

/** The `sha256` of a pack covers its body; only `pack_digest` covers the front matter. */
async function checkFrontMatter(document: unknown, shown: string): Promise<void> {
  const { digestPack, PackError } = await import('../input/pack-format.ts')
  try {
    const pack = await parseDocument(document)
    if (digestPack(pack) === pack.pack_digest) return
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    writeWarning(`${shown} is not a complete pack, so its front matter could not be checked`)
    return
  }
  throw damagedError(shown, 'does not match its pack_digest, so its front matter may not be its own')
}

function noteFrontMatter(hasFrontMatter: boolean, isWanted: boolean, shown: string): void {
  const name = escapeControls(shown)
  if (hasFrontMatter && !isWanted)
    writeStyled(`${name} has front matter, which is not printed; --with-front-matter gives the whole file`)
  if (!hasFrontMatter && isWanted) writeStyled(`${name} has no front matter; this is all of its text`)
}
