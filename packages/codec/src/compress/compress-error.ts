/** Codes of the errors that `compress` and `composePrompt` throw. */
export type CompressErrorCode =
  | 'source_too_large' // the source, or a set of sources together, is over 16 MiB
  | 'invalid_scheme' // no scheme has this name
  | 'invalid_glossary' // two rules for the same phrase, a term for a phrase that is never replaced, or an invalid term
  | 'term_collision' // a term of the author's glossary occurs in the text
  | 'undecodable_pack' // a pack of a prompt has no content or header, or does not decode
  | 'invalid_pack' // the packs of a prompt are not a list, or a field of one has the wrong type or an unknown tokenizer
  | 'invalid_option' // an option, such as `worthHeader`, has an invalid value
  | 'mixed_tokenizers' // the packs of a prompt state different tokenizers
  | 'over_budget' // the prompt, or with `fit` even the first pack alone, takes more tokens than the budget

/** A pack of a prompt: its index among the packs, and its slug if it has one. */
export interface PackPosition {
  readonly index: number
  readonly slug: string | undefined
}

/** The tokens of one pack in a prompt. */
export interface PromptShare {
  readonly slug: string | undefined
  readonly tokens: number
}

/** What an error refers to: the index of a glossary rule, and UTF-16 offsets in the source. */
export interface CompressErrorDetails {
  readonly rule?: number
  readonly offsets?: readonly number[]
  /** The pack of a prompt that is at fault. */
  readonly pack?: PackPosition
  /** The tokens of each pack in a prompt that exceeds its budget. */
  readonly shares?: readonly PromptShare[]
  readonly tokens?: number
  readonly cause?: unknown
}

/** A source, option, glossary or pack that cannot be compressed. `hint` says what to do. */
export class CompressError extends Error {
  override readonly name = 'CompressError'
  declare readonly code: CompressErrorCode
  declare readonly hint: string
  declare readonly rule: number | undefined
  declare readonly offsets: readonly number[]
  declare readonly pack: PackPosition | undefined
  declare readonly shares: readonly PromptShare[]
  declare readonly tokens: number | undefined

  constructor(code: CompressErrorCode, message: string, hint: string, details: CompressErrorDetails = {}) {
    const { cause, rule, offsets = [], pack, shares = [], tokens } = details
    super(message, cause === undefined ? undefined : { cause })
    Object.assign(this, { code, hint, rule, offsets, pack, shares, tokens })
  }
}

/** @throws CompressError `invalid_option` for an option that a function does not have */
export function checkOptions(options: object, known: readonly string[]): void {
  const other = Object.keys(options ?? {}).find((name) => !known.includes(name))
  const isObject: boolean = typeof options === 'object' && options !== null
  if (isObject && other === undefined) return
  const message = isObject
    ? `There is no option ${JSON.stringify(other!.slice(0, 80))}`
    : 'The options are not an object'
  throw new CompressError('invalid_option', message, `The options are ${known.join(', ')}.`)
}
