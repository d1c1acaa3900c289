/** What a model is told of an error. */
export interface ModelError {
  readonly code: string
  /** What is wrong, as a sentence. */
  readonly message: string
  /** What the model can do about it. */
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

const OTHERWISE = 'Answer with what you have, and tell the user of this error.'
const MAX_MESSAGE = 200

/**
 * Describes an error of a client or of the codec for a model that has called a tool; undefined for any other error.
 *
 * @param otherwise hint where there is nothing that the model can do by itself
 * @example
 * describeForModel(error) // { code: 'pack_not_found', message: 'There is no pack "tsl".', hint: 'Find its name with search_packs.' }
 */
export function describeForModel(error: unknown, otherwise: string = OTHERWISE): ModelError | undefined {
  if (!(error instanceof Error && 'hint' in error && 'code' in error)) return undefined
  const code = String(error.code)
  return {
    code,
    message: error.message.slice(0, MAX_MESSAGE).toWellFormed().replace(/\.?$/, '.'),
    hint: HINTS.get(code) ?? otherwise,
  }
}
