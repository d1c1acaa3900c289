import type { Scheme } from '../types.ts'

/** What a scheme may do (SPEC.md, schemes). */
export interface SchemePlan {
  /** Terms are acronyms and candidates obey the readability rules; else terms are symbols and any unit sequence may go. */
  readonly readable: boolean
  /** Lines keep their block structure, and candidates stay inside lines. */
  readonly keepsLines: boolean
  /** Expansions may use terms. */
  readonly nests: boolean
  /** Subgradient steps of the selection, by effort. */
  readonly steps: { readonly fast: number; readonly best: number }
}

/** The plan of each scheme that replaces anything. */
export const SCHEME_PLANS: Record<Exclude<Scheme, 'none'>, SchemePlan> = {
  'glossary-1': { readable: true, keepsLines: true, nests: false, steps: { fast: 60, best: 300 } },
  'dense-1': { readable: false, keepsLines: true, nests: true, steps: { fast: 64, best: 300 } },
  'max-1': { readable: false, keepsLines: false, nests: true, steps: { fast: 72, best: 300 } },
}
