/** `WORD` is a letter that makes words (SPEC.md §4.1), `MARK` a combining mark. */
export const WORD = 1
export const MARK = 2

/** Whether a code point is in W. A term with such an edge does not match next to one. */
export function isWordCodePoint(codePoint: number): boolean {
  return (classify(codePoint) & WORD) > 0
}

/** Whether a code point is a mark (`\p{M}`), before which no term matches. */
export function isMarkCodePoint(codePoint: number): boolean {
  return (classify(codePoint) & MARK) > 0
}

export function classAt(text: string, at: number): number {
  return classes[text.charCodeAt(at)] || classify(text.codePointAt(at)!)
}

export function classBefore(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1)
  if (classes[unit]) return classes[unit]
  const pair = text.codePointAt(end - 2) ?? 0
  return classify(pair > 65_535 ? pair : unit)
}

// Class of each code point of the BMP, 0 if not computed yet; always 0 for surrogates.
const classes: Uint8Array = /* @__PURE__ */ new Uint8Array(65_536)

// Versions of Script_Extensions after Unicode 15 exclude the first five (SPEC.md §4.2).
const WORDS =
  /[\u02bc\u0303\u0305\u0323\u0331]|(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}])[\p{L}\p{M}\p{N}_]/u

function classify(codePoint: number): number {
  const text = String.fromCodePoint(codePoint)
  const found = 4 + WORD * +WORDS.test(text) + MARK * +/\p{M}/u.test(text)
  if (codePoint >> 11 !== 27) classes[codePoint] = found
  return found
}
