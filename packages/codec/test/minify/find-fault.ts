import { minify } from '../../src/minify/minify.ts'
import { restoreText } from '../../src/minify/restore-text.ts'
import type { MinifyOptions } from '../../src/minify/types.ts'
import type { Tokenizer } from '../../src/tokens/get-tokenizer.ts'
import { normalForm } from './normal-form.ts'

/**
 * What is wrong with the minified text of a source: it does not restore, says something else or
 * costs more. Undefined if nothing is.
 */
export function findFault(source: string, options: MinifyOptions, tokenizer: Tokenizer): string | undefined {
  const { text, links, patch } = minify(source, options, tokenizer)
  if (restoreText(text, patch) !== source) return 'It does not restore the source.'
  if (text === source) return undefined
  if (tokenizer.countTokens(text) > tokenizer.countTokens(source))
    return `It costs more: ${JSON.stringify(text)}`
  const [before, after] = [normalForm(source, options.dialect), normalForm(text, options.dialect, links)]
  if (before !== after) return `It says something else: ${JSON.stringify(text)}\n${before}\n--- but\n${after}`
  return undefined
}
