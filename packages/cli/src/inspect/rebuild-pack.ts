import { compress, explainCompression, type Compression, type Rejection } from '@packs/codec/compress'
import type { Pack } from '@packs/codec/pack'

/** The result of compressing the source of a pack again. */
export interface Rebuild {
  readonly scheme: 'glossary-1' | 'dense-1' | 'max-1'
  readonly code: boolean
  /** Content and header equal those of the pack. */
  readonly isIdentical: boolean
  /** The pack has the scheme `none`, so it does not record which scheme was tried. */
  readonly isUncompressed: boolean
  readonly compression: Compression
  /** Only present if requested. */
  readonly rejected?: readonly Rejection[]
}

/**
 * Compresses the source of a pack again with the options that the pack records; `glossary-1` is tried without and with `code`.
 *
 * A pack with the scheme `none` is compressed as `glossary-1`. The tokenizer must be loaded already.
 *
 * @param rejected how many rejected phrases to list; none when absent
 */
export function rebuildPack(
  { compression: scheme, tokenizer, content, rosetta }: Pack,
  source: string,
  rejected?: number,
): Rebuild {
  const triedScheme = scheme === 'none' ? 'glossary-1' : scheme
  const attempts = (triedScheme === 'glossary-1' ? [false, true] : [false]).map((code) => () => {
    const compression = compress(source, { scheme: triedScheme, tokenizer, code })
    return {
      code,
      compression,
      isIdentical: compression.content === content && compression.rosetta === rosetta,
    }
  })
  let result = attempts[0]!()
  if (!result.isIdentical && attempts[1]) {
    const second = attempts[1]()
    if (second.isIdentical) result = second
  }
  const isUncompressed = scheme === 'none'
  if (rejected === undefined) return { scheme: triedScheme, isUncompressed, ...result }
  const options = { scheme: triedScheme, tokenizer, code: result.code, most: rejected }
  return {
    scheme: triedScheme,
    isUncompressed,
    ...result,
    rejected: explainCompression(source, options).rejected,
  }
}
