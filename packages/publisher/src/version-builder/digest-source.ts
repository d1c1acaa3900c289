import { createHash } from 'node:crypto'
import type { BuildSettings } from '@packs/catalog'
import type { Source } from '@packs/codec/source'

/** The settings that a source is built with. */
export function resolveSettings({ compression, code, tokenizer }: Source): BuildSettings {
  return { scheme: compression, code, tokenizer }
}

/** SHA-256 of bytes, hexadecimal. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** SHA-256 that tells whether a source was published before: of its bytes and of the settings it is built with. */
export function digestSource(bytes: Uint8Array, { scheme, code, tokenizer }: BuildSettings): string {
  return hashBytes(Buffer.from(JSON.stringify([hashBytes(bytes), scheme, code, tokenizer])))
}
