import { MINIFY_RULES } from '@packs/codec/internal'
import type { Dialect, MinifyRule } from '@packs/codec/pack'
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

/** Returns `minify-1` with all rules, and with each rule alone and left out. */
export function listRuleVariants(dialect: readonly Dialect[]): Variant[] {
  const variant = (name: string, off: readonly MinifyRule[]): Variant => {
    return { name, options: { scheme: 'minify-1', minify: { dialect, off } } }
  }
  return [
    variant('all', []),
    ...MINIFY_RULES.flatMap((rule) => [
      variant(
        `${rule} alone`,
        MINIFY_RULES.filter((other) => other !== rule),
      ),
      variant(`without ${rule}`, [rule]),
    ]),
  ]
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
