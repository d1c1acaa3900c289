import { html, type Html } from './html.ts'

const BIDI_CONTROLS = /[\u061C\u202A-\u202E\u2066-\u2069]/g

/**
 * Writes out characters that change the order of the text around them, so that a text reads as it is stored.
 *
 * @example
 * escapeBidi('user\u202Egnp.exe') // 'user[U+202E]gnp.exe'
 */
export function escapeBidi(text: string): string {
  return text.replace(
    BIDI_CONTROLS,
    (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
}

/** Units of a text that are looked at. */
const SAMPLE_LENGTH = 2000
const CHINESE = /\p{Script=Han}/gu
const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu
const KOREAN = /\p{Script=Hangul}/gu
const OTHER = /\p{L}/gu

/**
 * The language of a text as its script tells it: Chinese, Japanese or Korean, which share characters that each writes in another
 * shape and breaks in other places. Nothing for other scripts, which tell no language, and where they make up most of the text.
 *
 * @example
 * detectLanguage('家庭の地震防災ガイド') // 'ja'
 */
export function detectLanguage(text: string): 'ja' | 'ko' | 'zh' | undefined {
  const beginning = text.slice(0, SAMPLE_LENGTH)
  const count = (script: RegExp): number => beginning.match(script)?.length ?? 0
  const [chinese, japanese, korean] = [count(CHINESE), count(JAPANESE), count(KOREAN)]
  const all = chinese + japanese + korean
  // A word of these scripts has two characters or so, one of the others five.
  if (all === 0 || 3 * all < count(OTHER) - all) return undefined
  if (korean > chinese + japanese) return 'ko'
  return 10 * japanese > all ? 'ja' : 'zh'
}

/**
 * The attribute `lang` of an element with a text, where its language is known.
 *
 * @param around what stands with the text: words in Chinese characters alone are in its language
 */
export function renderLangAttribute(text: string, around = ''): Html | false {
  const own = detectLanguage(text)
  const language = own === 'zh' ? (detectLanguage(around) ?? own) : own
  return language !== undefined && html`lang="${language}"`
}
