/** The canonical marker (SPEC.md §3.1). */
export const MARKER = '[DECODE]'

/** What can be escaped, and at the same index the letter that stands for it behind a `\` (SPEC.md §3.2). */
export const ESCAPED = '\\|=\n\r\t'
export const LETTERS = '\\|=nrt'

/** Longest term, in code points. */
export const MAX_TERM = 64
/** Longest expansion as written, escapes undone, in code points. */
export const MAX_EXPANSION = 4096
/** Most entries of a header. */
export const MAX_ENTRIES = 65_536
/** Longest header, in UTF-16 units. */
export const MAX_HEADER = 4_194_304
/** Most UTF-16 units that all expansions of a header may take together once nesting is resolved. */
export const MAX_RESOLVED = 67_108_864
/** Most UTF-16 units a decode gives unless `maxOutput` says otherwise. */
export const MAX_OUTPUT = 67_108_864
