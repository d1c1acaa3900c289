/**
 * How a piece of text is written: as a word of a script with spaces, or as a run of letters of one without. Katakana mostly writes
 * whole foreign words; `other` is hiragana, hangul, Thai, Lao, Khmer or Burmese.
 */
export type WordKind = 'word' | 'katakana' | 'han' | 'other'

/** A word or a run. Offsets are UTF-16 units. */
export interface Word {
  readonly text: string
  readonly kind: WordKind
  readonly start: number
  readonly end: number
}

/**
 * The words and runs of a text.
 *
 *     word     = letter ("++" | "#") | part (connector{1,2} part)*     `C#`, `no-cache`, `app.whenReady`, `std::io`
 *     part     = (letter | digit | mark | "_")+
 *     run      = katakana+ | han+ | other+
 *
 * A longer word or run is divided, because the engine fails where one match takes too many steps: after 10,000 characters of a part
 * or a run, and after 100 connectors.
 */
const PATTERN = createPattern()

function createPattern(): RegExp {
  const most = '{1,10000}'
  const unspaced = String.raw`\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}`
  const letters = String.raw`[\p{L}\p{N}\p{M}_]`
  const language = String.raw`(?<![\p{L}\p{N}])[a-zA-Z](?:\+\+|#)(?![\p{L}\p{N}])`
  const part = `[${letters}--[${unspaced}]]${most}`
  const katakana = String.raw`[[\p{scx=Kana}&&[\p{L}\p{M}]]--[\p{sc=Hani}\p{sc=Hira}]]${most}`
  const other = String.raw`[[[${unspaced}]&&${letters}]--[\p{sc=Hani}\p{sc=Kana}]]${most}`
  return new RegExp(
    String.raw`(${language}|${part}(?:['’.:\-]{1,2}${part}){0,100})|(${katakana})|(\p{sc=Hani}${most})|${other}`,
    'gv',
  )
}

/** Calls `visit` for each word and run of a text, in order. Takes linear time. */
export function visitWords(text: string, visit: (word: Word) => void): void {
  for (const match of text.matchAll(PATTERN)) {
    const [found, word, katakana, han] = match
    const kind =
      word !== undefined ? 'word' : katakana !== undefined ? 'katakana' : han !== undefined ? 'han' : 'other'
    visit({ text: found, kind, start: match.index, end: match.index + found.length })
  }
}
