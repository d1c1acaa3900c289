import { SHARED_PAIRS, SHARED_SPACED_SYMBOLS, SHARED_SYMBOLS, SHARED_TRIPLES } from './shared-terms.ts'

/** Is an acronym one token behind a space in both tokenizers. */
export function isSharedAcronym(acronym: string): boolean {
  return SHARED_ACRONYMS.has(acronym)
}

/** In how many of the ways a symbol is used it is one token in both tokenizers: by itself, and with a space before it. */
export function countSharedForms(symbol: string, takesSpace: boolean): number {
  return Number(SYMBOLS.has(symbol)) + Number(takesSpace && SPACED_SYMBOLS.has(symbol))
}

const SHARED_ACRONYMS: ReadonlySet<string> = new Set([
  ...SHARED_PAIRS.match(/../g)!,
  ...SHARED_TRIPLES.match(/.../g)!,
])
const SYMBOLS: ReadonlySet<string> = new Set(SHARED_SYMBOLS)
const SPACED_SYMBOLS: ReadonlySet<string> = new Set(SHARED_SPACED_SYMBOLS)
