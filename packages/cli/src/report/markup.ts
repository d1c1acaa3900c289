import { createHtmlTag, type HtmlTag } from '@packs/codec/theme'

/**
 * Control characters except tab and line feed, characters that change the writing direction, zero-width spaces, line
 * separators, and tag characters, which can hide text. The joiners of emoji and of Indic scripts are excluded.
 */
const INVISIBLE =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E007F}\u{E0100}-\u{E01EF}]/gu

/**
 * Creates HTML from a template. Invisible characters of text, such as those that change the writing direction, are shown by their
 * code points.
 *
 * @example
 * String(markup`<p>${'a < b'}</p>`) // '<p>a &lt; b</p>'
 */
export const markup: HtmlTag = createHtmlTag((escaped) =>
  escaped.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    return `<i class=x>U+${code}</i>`
  }),
)
