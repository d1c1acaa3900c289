import { SourceError } from './pack-source.ts'

/** What an error says. */
export interface Explanation {
  readonly code: string
  /** What is wrong. */
  readonly message: string
  /** What to do. */
  readonly hint: string
}

/** The tools `search_packs` and `read_pack` are all that a model has; hints of errors are for developers and name options and methods. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['pack_not_found', 'Find its name with search_packs.'],
  ['invalid_name', 'Find its name with search_packs.'],
  ['invalid_range', 'Name the pack without a range for its newest version.'],
  ['version_not_found', 'Name the pack without a version for its newest one.'],
  ['no_matching_version', 'Name the pack without a range for its newest version.'],
  ['not_in_lock', 'Only pinned packs can be read here: name another one, or answer with what you have.'],
  ['invalid_option', 'Packs cannot be searched here: call read_pack with a name that you know.'],
  ['section_not_found', 'Call read_pack without a section for its ids, or search_packs.'],
  ['tier_required', 'Call read_pack without a section for the preview, or answer with what you have.'],
])

const MAX_MESSAGE = 200

/**
 * Explains an error of a source, of a client or of the codec to a model that has called a tool; undefined for any other error.
 *
 * @param otherwise hint where there is nothing that the model can do by itself; that of the error if absent
 */
export function explainError(error: unknown, otherwise?: string): Explanation | undefined {
  if (error instanceof SourceError) return error
  if (!isExplained(error)) return undefined
  const { code, message, hint } = error
  const cut = message.slice(0, MAX_MESSAGE).toWellFormed()
  return { code, message: cut, hint: HINTS.get(code) ?? otherwise ?? hint }
}

/** Whether an error has a code, and a hint for the caller: those of sources, clients and names do. */
function isExplained(error: unknown): error is Error & Explanation {
  return (
    error instanceof Error &&
    'hint' in error &&
    typeof error.hint === 'string' &&
    'code' in error &&
    typeof error.code === 'string'
  )
}

/** Writes an error for a model: what is wrong, and what to do. */
export function formatError({ code, message, hint }: Explanation): string {
  return `${message.replace(/\.?$/, '.')} ${hint} (${code})`
}
