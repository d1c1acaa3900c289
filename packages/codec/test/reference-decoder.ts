import type { RosettaEntry } from '../src/index.ts'

/**
 * A literal implementation of the decode rule: tries every term at every code point. Shares no code with the decoder and
 * is far too slow for use.
 */
export function decodeLiterally(content: string, entries: readonly RosettaEntry[]): string {
  let resolved: RosettaEntry[] = []
  for (const { term, expansion } of entries.toReversed()) {
    resolved = [{ term, expansion: replaceOnce(expansion, resolved) }, ...resolved]
  }
  return replaceOnce(content, resolved)
}

/**
 * A literal implementation of the rule of answers: judges each code point by all that stands before it and by both neighbours. Shares no
 * code with the decoder of answers and takes quadratic time.
 */
export function decodeAnswerLiterally(answer: string, entries: readonly RosettaEntry[]): string {
  const points = Array.from(answer)
  const meanings = new Map(entries.map(({ term }) => [term, decodeLiterally(term, entries).trim()]))
  const certain: boolean[] = []
  for (const [at, point] of points.entries()) {
    const before = points.slice(0, at)
    const after = points[at + 1] ?? ' '
    certain.push(
      isOutside(point) &&
        meanings.has(point) &&
        !isOutside(points[at - 1] ?? ' ') &&
        !isOutside(after) &&
        !isMark(after) &&
        before.some((one) => isLetter(one) && isWord(one)) &&
        before.every((one, place) => !isOutside(one) || certain[place]),
    )
  }
  return points.map((point, at) => (certain[at] && meanings.get(point)) || point).join('')
}

function isOutside(point: string): boolean {
  return isLetter(point) && !isWord(point)
}

function isLetter(point: string): boolean {
  return /^\p{L}$/u.test(point)
}

function replaceOnce(content: string, entries: readonly RosettaEntry[]): string {
  const points = Array.from(content)
  const candidates = entries
    .map(({ term, expansion }) => ({ term: Array.from(term), expansion }))
    .sort((a, b) => b.term.length - a.term.length)
  let output = ''
  for (let at = 0; at < points.length;) {
    const found = candidates.find(({ term }) => passes(points, at, term))
    output += found ? found.expansion : points[at]
    at += found ? found.term.length : 1
  }
  return output
}

function passes(points: readonly string[], at: number, term: readonly string[]): boolean {
  const end = at + term.length
  if (term.some((point, index) => points[at + index] !== point)) return false
  if (end < points.length && isMark(points[end]!)) return false
  if (at > 0 && isWord(points[at]!) && isWord(points[at - 1]!)) return false
  return !(end < points.length && isWord(points[end - 1]!) && isWord(points[end]!))
}

function isMark(point: string): boolean {
  return /^\p{M}$/u.test(point)
}

function isWord(point: string): boolean {
  if (['\u02bc', '\u0303', '\u0305', '\u0323', '\u0331'].includes(point)) return true
  if (/^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}]$/u.test(point)) return false
  return /^[\p{L}\p{M}\p{N}_]$/u.test(point)
}
