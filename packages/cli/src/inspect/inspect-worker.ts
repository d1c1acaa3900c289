import type { Scheme } from '@packs/codec'
import type { Compression } from '@packs/codec/compress'
import { findScheme } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { serveTasks } from '@packs/threads'
import { enableCompileCache } from '../user-cache/enable-compile-cache.ts'
import type { EntryMeasure, TokenizerCounts } from './measure-pack.ts'

export interface InspectRequest {
  readonly pack: Pack
  readonly source: string
}

export interface Inspection {
  readonly entries: readonly EntryMeasure[]
  readonly tokenizers: readonly TokenizerCounts[]
  readonly rebuild: Rebuild
}

/** The result of compressing the source of a pack again. */
export interface Rebuild {
  readonly scheme: Scheme
  readonly code: boolean
  readonly isIdentical: boolean
  readonly compression: Compression
}

enableCompileCache()
const { loadTokenizer } = await import('../user-cache/load-tokenizer.ts')
const { countInTokenizers, measureEntries } = await import('./measure-pack.ts')
const compress = await (await import('@packs/codec/compress')).loadCompressor()

serveTasks(async ({ pack, source }: InspectRequest): Promise<Inspection> => {
  const tokenizer = await loadTokenizer(pack.tokenizer)
  return {
    entries: measureEntries(pack.content, pack.rosetta, tokenizer).toSorted((a, b) => b.net - a.net),
    tokenizers: await countInTokenizers(pack, source),
    rebuild: rebuildPack(pack, source),
  }
})

/**
 * Compresses the source again with the options that the pack records. A pack with the scheme `none`
 * is compressed as `minify-1`. The tokenizer must be loaded already.
 */
function rebuildPack(pack: Pack, source: string): Rebuild {
  const { compression: scheme, tokenizer, content, rosetta, code = true } = pack
  const triedScheme = scheme === 'none' ? 'minify-1' : findScheme(scheme)!
  // An existing header was worth its cost to the author, whatever the minimum saving was.
  const worth = scheme === 'none' ? {} : { worthHeader: { percent: 0, tokens: 0 } }
  const minify = pack.minify ?? {}
  const compression = compress(source, { scheme: triedScheme, tokenizer, ...worth, code, minify })
  const isIdentical = compression.content === content && compression.rosetta === rosetta
  return { scheme: triedScheme, code, compression, isIdentical }
}
