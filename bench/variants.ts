import { MINIFY_RULES } from '@packs/codec/internal'
import type { Dialect, MinifyRule } from '@packs/codec/pack'
import { type CompressOptions, loadCompressor, loadTokenizer } from '@packs/codec/compress'

await loadTokenizer('o200k_base')
export const compress: Awaited<ReturnType<typeof loadCompressor>> = await loadCompressor()

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

/** Returns all variants, or those of `scheme`. */
export function listVariants(scheme?: string): readonly Variant[] {
  return ALL.filter((variant) => scheme === undefined || variant.options.scheme === scheme)
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
