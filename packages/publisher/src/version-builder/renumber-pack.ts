import { createRequire } from 'node:module'
import { sealPack, type Pack } from '@packs/codec/pack'

const manifest = createRequire(import.meta.url)('@packs/codec/package.json') as { readonly version: string }

/** Version of the codec in use, recorded in the provenance of each version. */
export const codecVersion: string = manifest.version

/** Changes the version of a pack and seals it again. */
export function renumberPack(pack: Pack, version: string): Pack {
  const { pack_digest: _digest, ...draft } = pack
  return sealPack({ ...draft, version })
}
