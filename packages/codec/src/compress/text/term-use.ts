import { isWordCodePoint } from '../../decode/word-edge.ts'

/**
 * UTF-16 offsets at which `term` stands in `text` in a way that forbids it as a term (SPEC.md, terms): as a run of word
 * characters, whatever its case, where both its edges are word characters; anywhere otherwise.
 */
export function findTermInText(term: string, text: string, most: number): number[] {
  const isWord = isWordCodePoint(term.codePointAt(0)!) && isWordCodePoint(lastCodePoint(term, term.length))
  const offsets: number[] = []
  const haystacks = isWord ? [text, text.toLowerCase(), text.toUpperCase()] : [text]
  const needles = isWord ? [term, term.toLowerCase(), term.toUpperCase()] : [term]
  for (const [index, haystack] of haystacks.entries()) {
    const needle = needles[index]!
    for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + 1)) {
      if (isWord && !standsFree(haystack, at, at + needle.length)) continue
      if (!offsets.includes(at)) offsets.push(at)
      if (offsets.length >= most) return offsets
    }
  }
  return offsets.sort((a, b) => a - b)
}

/** Is the code point before `end` (lone surrogates as they are); 0 at the start of the text. */
export function lastCodePoint(text: string, end: number): number {
  if (end <= 0) return 0
  const pair = end > 1 ? text.codePointAt(end - 2)! : 0
  return pair > 0xffff ? pair : text.charCodeAt(end - 1)
}

function standsFree(text: string, from: number, to: number): boolean {
  const before = lastCodePoint(text, from)
  const after = to < text.length ? text.codePointAt(to)! : 0
  return !(from > 0 && isWordCodePoint(before)) && !(to < text.length && isWordCodePoint(after))
}
