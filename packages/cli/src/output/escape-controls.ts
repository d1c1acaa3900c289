/**
 * Writes control characters, line separators and what turns the direction of writing as escapes, so that a file name or a
 * quoted text can neither split a line nor move the cursor.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0')
    return LETTERS.get(character) ?? `\\u${code}`
  })
}

const LETTERS: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])
