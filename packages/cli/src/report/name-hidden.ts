/**
 * Control characters but tab and line feed, those that turn the direction of writing, spaces without width, line separators,
 * and tags, in which text can be hidden. The joiners of emoji and of Indic scripts are left alone.
 */
const HIDDEN =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E007F}\u{E0100}-\u{E01EF}]/gu

/**
 * Writes what stands in a text unseen by its number.
 *
 * @example
 * nameHidden('a\u202Eb', (name) => `[${name}]`) // 'a[U+202E]b'
 */
export function nameHidden(text: string, write: (name: string) => string): string {
  return text.replace(HIDDEN, (character) =>
    write(`U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`),
  )
}
