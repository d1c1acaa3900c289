/** The canonical marker (SPEC.md §3.1). */
export const MARKER = '[DECODE]'

/** What can be escaped, and at the same index the letter that stands for it behind a `\` (SPEC.md §3.2). */
export const ESCAPED = '\\|=\n\r\t'
export const LETTERS = '\\|=nrt'
