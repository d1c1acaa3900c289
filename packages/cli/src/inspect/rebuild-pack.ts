import { compress, explainCompression, type Compression, type Rejection } from '@packs/codec/compress'
import type { Pack } from '@packs/codec/pack'

/** What compressing the source of a pack again gives. */
export interface Rebuild {
  readonly scheme: 'glossary-1' | 'dense-1' | 'max-1'
  readonly code: boolean
  /** Content and header are those of the pack. */
  readonly isSame: boolean
  /** The pack is under `none`, so it does not tell what was tried. */
  readonly isKept: boolean
  readonly compression: Compression
  /** Absent where it was not asked for. */
  readonly rejected?: readonly Rejection[]
}

/**
 * Compresses the source of a pack again, with what the pack says of its options and what can be tried of the others.
 *
 * A pack under `none` is tried as `glossary-1`. The tokenizer must have been loaded.
 *
 * @param rejected How many phrases that are no entries to list; none when absent.
 */
export function rebuildPack(
  { compression: scheme, tokenizer, content, rosetta }: Pack,
  source: string,
  rejected?: number,
): Rebuild {
  const tried = scheme === 'none' ? 'glossary-1' : scheme
  const attempts = (tried === 'glossary-1' ? [false, true] : [false]).map((code) => () => {
    const compression = compress(source, { scheme: tried, tokenizer, code })
    return { code, compression, isSame: compression.content === content && compression.rosetta === rosetta }
  })
  let result = attempts[0]!()
  if (!result.isSame && attempts[1]) {
    const second = attempts[1]()
    if (second.isSame) result = second
  }
  const isKept = scheme === 'none'
  if (rejected === undefined) return { scheme: tried, isKept, ...result }
  const options = { scheme: tried, tokenizer, code: result.code, most: rejected }
  return { scheme: tried, isKept, ...result, rejected: explainCompression(source, options).rejected }
}
