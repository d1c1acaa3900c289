// Apart from `decideVersion`, which loads the parser of markdown: the process of a job builds in a thread, and needs only these.
import { createRequire } from 'node:module'
import { sealPack, type Pack } from '@packs/codec/pack'
import type { VersionLevel } from './compare-sources.ts'

const manifest = createRequire(import.meta.url)('@packs/codec/package.json') as { readonly version: string }

/** Version of the codec in use, recorded in the provenance of each version. */
export const codecVersion: string = manifest.version

/** Changes the version of a pack and seals it again. */
export function renumberPack(pack: Pack, version: string): Pack {
  const { pack_digest: _digest, ...draft } = pack
  return sealPack({ ...draft, version })
}

/**
 * Returns one sentence for each option that has no effect because the version number is not decided
 * from changes.
 */
export function listIgnoredOptions({
  bump,
  rebuild,
}: {
  readonly bump?: VersionLevel | undefined
  readonly rebuild?: boolean | undefined
}): string[] {
  const options = [...(bump === undefined ? [] : [`--bump ${bump}`]), ...(rebuild ? ['--rebuild'] : [])]
  return options.map((option) => `${option} was ignored: the version needs no decision`)
}
