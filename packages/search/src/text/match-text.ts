import { foldText, type ReadingScope } from '../analysis/terms.ts'
import { cutSnippet } from './cut-snippet.ts'

/** The decoded text of a pack. */
export interface PackText {
  readonly title: string
  readonly body: string
  /** Offsets of the sections in the body, in UTF-16 units. */
  readonly sections: readonly { readonly title: string; readonly start: number; readonly end: number }[]
  /** Offset up to which the reader may see the body. */
  readonly visible: number
}

/** What to look for in the text of a pack. */
export interface TextRequest {
  /** Indices of sections; -1 for the pack as a whole. */
  readonly ordinals: readonly number[]
  /** Texts that must stand in what the reader may see of a section, or in its heading, which every reader may see. */
  readonly phrases: readonly string[]
  /** Terms to show, with their weights. */
  readonly terms: ReadonlyMap<string, number>
  /** The reader for whom the terms were looked up. */
  readonly scope: ReadingScope
}

/** What was found in a section. */
export interface TextMatch {
  readonly ordinal: number
  /** Whether all phrases stand in it. */
  readonly hasPhrases: boolean
  /** A piece of the text that the reader may see; `null` if he may see none of what matches. */
  readonly snippet: string | null
}

/**
 * Looks for phrases in sections, and cuts a snippet of each. Neither reads what the reader may not see: whoever can ask whether a
 * phrase stands there can find the text word by word.
 */
export function matchText({ title, body, sections, visible }: PackText, request: TextRequest): TextMatch[] {
  const phrases = request.phrases.map(foldText)
  return request.ordinals.flatMap((ordinal) => {
    const section = ordinal < 0 ? { title, start: 0, end: body.length } : sections[ordinal]
    if (section === undefined) return []
    const { start, end } = section
    const seen = body.slice(start, Math.max(start, Math.min(end, visible)))
    const searched = ordinal < 0 ? [title] : [section.title, seen]
    const texts = phrases.length === 0 ? [] : searched.map(foldText)
    return {
      ordinal,
      hasPhrases: phrases.every((phrase) => texts.some((text) => hasPhrase(text, phrase))),
      snippet: cutSnippet(seen, request.terms, { isWhole: visible >= end, scope: request.scope }),
    }
  })
}

/** Words of scripts with spaces must stand as whole words. */
function hasPhrase(text: string, phrase: string): boolean {
  const unspaced = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]/v
  const before = unspaced.test(phrase[0] ?? '') ? '' : ' '
  const after = unspaced.test(phrase.at(-1) ?? '') ? '' : ' '
  return ` ${text} `.includes(before + phrase + after)
}
