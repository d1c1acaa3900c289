const DIRECTION = /[\u061C\u202A-\u202E\u2066-\u2069]/g

/**
 * Writes out characters that change the order of the text around them, so that a text reads as it is stored.
 *
 * @example
 * showHidden('user\u202Egnp.exe') // 'user[U+202E]gnp.exe'
 */
export function showHidden(text: string): string {
  return text.replace(
    DIRECTION,
    (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
}
