import { decode, restore } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import type { PackPreview } from '../generated/responses.ts'

/** A pack document with the text that it decodes to, and the source, which names its sections. */
export interface DecodedPack {
  readonly pack: Pack
  readonly body: string
  readonly source?: string
  /** Whether it is only the preview. */
  readonly locked?: boolean
}

/**
 * Restores also the source if the pack has its patch.
 * @throws CodecError
 */
export function decodePack(pack: Pack | PackPreview): DecodedPack {
  if (isPreview(pack)) return { pack: pack as unknown as Pack, body: pack.content, locked: true }
  const body = decode(pack.content, pack.rosetta)
  return { pack, body, source: pack.patch === undefined ? body : restore(pack) }
}

function isPreview(pack: Pack | PackPreview): pack is PackPreview {
  return 'preview' in pack && pack.preview === true
}
