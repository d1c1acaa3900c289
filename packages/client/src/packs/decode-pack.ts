import { decode, restore } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'

/** A pack document with the text that it decodes to, and the source, which names its sections. */
export interface DecodedPack {
  readonly pack: Pack
  readonly body: string
  readonly source?: string
}

/**
 * Restores also the source if the pack has its patch.
 * @throws CodecError
 */
export function decodePack(pack: Pack): DecodedPack {
  const body = decode(pack.content, pack.rosetta)
  return { pack, body, source: pack.patch === undefined ? body : restore(pack) }
}
