import type { Pack } from '@packs/codec/pack'
import { writeWarning } from '../output/terminal.ts'
import { decodeText } from './decode-text.ts'
import { loadPack } from './load-pack.ts'
import { MAX_SOURCE } from './read-bounded.ts'

/** A pack document, and the source text that its content stands for. */
export interface OpenPack {
  readonly pack: Pack
  readonly source: string
}

/**
 * Loads a pack document and decodes it, up to the size of the largest source; warns where a digest is not what the pack
 * states.
 *
 * @param shown how the file is called in messages
 * @throws CliError of {@link loadPack}
 * @throws DecodeError
 */
export async function openPack(
  path: string,
  shown: string = path === '-' ? '<stdin>' : path,
): Promise<OpenPack> {
  const pack = await loadPack(path, shown)
  const source = decodeText(pack, shown, MAX_SOURCE)
  const { digestBody, digestPack } = await import('@packs/codec/pack')
  if (digestBody(source) !== pack.sha256) warn(shown, 'decodes to a text with another digest than it states')
  else if (digestPack(pack) !== pack.pack_digest) warn(shown, 'is not what it was when its digest was made')
  return { pack, source }
}

function warn(shown: string, problem: string): void {
  writeWarning(`${shown} ${problem} (digest_mismatch): it was changed or damaged, see \`pack check\``)
}
