import type { Compression } from '@packs/codec/compress'
import type { Pack } from '@packs/codec/pack'
import { serveTasks } from '@packs/threads'
import { enableCompileCache } from '../user-cache/enable-compile-cache.ts'
import type { EntryMeasure, TokenizerCounts } from './measure-pack.ts'

/** A decoded pack. */
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
  readonly scheme: 'glossary-1' | 'dense-1' | 'max-1'
  readonly code: boolean
  /** Content and header equal those of the pack. */
  readonly isIdentical: boolean
  /** The pack has the scheme `none`, so it does not record which scheme was tried. */
  readonly isUncompressed: boolean
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
 * Compresses the source of a pack again with the options that the pack records. Unrecorded ones are
 * tried: as markdown and as MDX, and for `glossary-1` without and with `code`.
 *
 * A pack with the scheme `none` is compressed as `glossary-1`. The tokenizer must be loaded
 * already.
 */
function rebuildPack({ compression: scheme, tokenizer, content, rosetta }: Pack, source: string): Rebuild {
  const triedScheme = scheme === 'none' ? 'glossary-1' : scheme
  const settings = [false, true].flatMap((mdx) =>
    (triedScheme === 'glossary-1' ? [false, true] : [false]).map((code) => ({ code, mdx })),
  )
  // An existing header was worth its cost to the author, whatever the minimum saving was.
  const worth = scheme === 'none' ? {} : { worthHeader: { percent: 0, tokens: 0 } }
  const attempt = (setting: (typeof settings)[number]): Attempt => {
    const compression = compress(source, { scheme: triedScheme, tokenizer, ...worth, ...setting })
    const isIdentical = compression.content === content && compression.rosetta === rosetta
    return { setting, compression, isIdentical }
  }
  let found = attempt(settings[0]!)
  for (const other of settings.slice(1)) {
    if (found.isIdentical) break
    const next = attempt(other)
    if (next.isIdentical) found = next
  }
  const { setting, ...result } = found
  return { scheme: triedScheme, code: setting.code, isUncompressed: scheme === 'none', ...result }
}

interface Attempt extends Pick<Rebuild, 'compression' | 'isIdentical'> {
  readonly setting: { readonly code: boolean; readonly mdx: boolean }
}
