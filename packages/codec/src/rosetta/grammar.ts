/** The canonical marker (SPEC.md §3.1). */
export const MARKER = '[DECODE]'

/** Characters to escape, each with the letter after its `\\` below (SPEC.md §3.2). */
export const ESCAPED = '\\|=\n\r\t'
export const LETTERS = '\\|=nrt'

/** Longest term, in code points. */
export const MAX_TERM = 64
/** Longest expansion, in code points, counted after unescaping. */
export const MAX_EXPANSION = 4096
/** Most entries of a header. */
export const MAX_ENTRIES = 65_536
/** Longest header, in UTF-16 units. */
export const MAX_HEADER = 4_194_304
/** Maximum UTF-16 units of all expansions of a header together, after nesting is resolved. */
export const MAX_RESOLVED = 67_108_864
/** Maximum UTF-16 units of decoded output if `maxOutput` is not set. */
export const MAX_OUTPUT = 67_108_864
