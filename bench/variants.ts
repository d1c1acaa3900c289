import { CompressError, type CompressOptions, loadCompressor, loadTokenizer } from '@packs/codec/compress'

await loadTokenizer('o200k_base')
const compress = await loadCompressor()

/** A scheme with options that is measured separately. */
export interface Variant {
  readonly name: string
  readonly options: CompressOptions
}

const ALL: readonly Variant[] = [
  { name: 'minify-1', options: { scheme: 'minify-1' } },
  { name: 'dense-2', options: { scheme: 'dense-2' } },
  { name: 'dense-2 no code', options: { scheme: 'dense-2', code: false } },
  { name: 'max-2', options: { scheme: 'max-2' } },
]

/** Returns the variants that the compressor supports, only those of `scheme` if it is given. */
export function listVariants(scheme?: string): readonly Variant[] {
  return ALL.filter((variant) => scheme === undefined || variant.options.scheme === scheme).filter(isKnown)
}

function isKnown(variant: Variant): boolean {
  try {
    compress('', variant.options)
    return true
  } catch (error) {
    if (error instanceof CompressError && error.code === 'invalid_scheme') return false
    throw error
  }
}
