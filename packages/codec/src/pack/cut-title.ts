import { MAX_TITLE } from './field-limits.ts'

/** Converts a text to one line without control characters, and cuts it to the maximum length of a title. */
export function cutTitle(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ').trim()
  const characters = Array.from(line.slice(0, 2 * MAX_TITLE + 2))
  return characters.length <= MAX_TITLE
    ? line
    : `${characters
        .slice(0, MAX_TITLE - 1)
        .join('')
        .trimEnd()}…`
}
