import type { Tokenizer } from '../tokens/types.ts'
import type { Minified, MinifyOptions } from './types.ts'

/**
 * Leaves out of a markdown text what no reader of a prompt needs (SPEC.md, minify). Pure, and linear
 * in time for every string.
 *
 * @param tokenizer Counts the edits: one that saves no token is not made.
 */
export function minify(body: string, _options: MinifyOptions, _tokenizer: Tokenizer): Minified {
  return { text: body, links: [], patch: [], withdrawn: 0 }
}
