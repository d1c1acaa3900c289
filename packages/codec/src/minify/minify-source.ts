import type { Tokenizer } from '../tokens/types.ts'
import { minify } from './minify.ts'
import { fitsDocument } from './patch-limits.ts'
import { restoreText } from './restore-text.ts'
import { DIALECTS, MINIFY_RULES, type Minified, type MinifyOptions } from './types.ts'

/** A minified source, or one that is not changed. Restoring was verified. */
export interface MinifiedSource extends Minified {
  /** Token counts of the source and the text. */
  readonly tokens: { readonly source: number; readonly text: number }
}

/**
 * Minifies a source, as builds do and checks do again. The source stays as it is if that saves no
 * token, if no pack document could hold the patch, or if it is ill-formed.
 *
 * @throws {Error} if the patch does not restore the source, which is a bug
 */
export function minifySource(source: string, options: MinifyOptions, tokenizer: Tokenizer): MinifiedSource {
  const count = tokenizer.countTokens(source)
  const same = { text: source, links: [], patch: [], withdrawn: 0, tokens: { source: count, text: count } }
  if (!source.isWellFormed()) return same
  const minified = minify(source, options, tokenizer)
  if (minified.patch.length === 0 || !fitsDocument(minified))
    return { ...same, withdrawn: minified.withdrawn }
  if (restoreText(minified.text, minified.patch) !== source)
    throw new Error(
      'A minified text does not give its source back. This is a bug: please report it with the source.',
    )
  const tokens = { source: count, text: tokenizer.countTokens(minified.text) }
  return tokens.text < count ? { ...minified, tokens } : { ...same, withdrawn: minified.withdrawn }
}

/** Returns the options in the form of a pack document: each name once, in order. */
export function resolveMinify({ dialect = [], off = [] }: MinifyOptions): Required<MinifyOptions> {
  return {
    dialect: DIALECTS.filter((name) => dialect.includes(name)),
    off: MINIFY_RULES.filter((name) => off.includes(name)),
  }
}
