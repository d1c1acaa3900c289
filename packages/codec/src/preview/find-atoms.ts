import type { CodeSpans } from '../markdown/code-spans.ts'
import { readResourceEnd, readTagEnd } from '../markdown/inline-spans.ts'

/** Longest text between square brackets that is kept whole, in UTF-16 units. */
const LONGEST_LABEL = 1_000
/** Longest emphasis that is kept whole, in UTF-16 units. */
const LONGEST_EMPHASIS = 300

/**
 * Finds what is never cut in the running text from `start` to `end`: code, HTML tags, autolinks, links and images with
 * their destinations, everything else between square brackets, short emphasis, bare addresses.
 *
 * More than the parser would call so at times, but never quadratic: each mark is looked at once.
 *
 * @param codeSpans of the same text, asked for rising regions
 * @returns rising pairs of start and end that do not overlap
 */
export function findAtoms(text: string, start: number, end: number, codeSpans: CodeSpans): number[] {
  const atoms: Atom[] = []
  const brackets: number[] = []
  const emphasis = new Map<string, number>()
  codeSpans.load(start, end)
  for (let at = start; at < end;) {
    const unit = text[at]!
    let next = at + 1
    if (unit === '\\') next++
    else if (unit === '`') next = Math.max(codeSpans.findEnd(at), at + codeSpans.runLength(at))
    else if (unit === '<') next = Math.max(next, readTagEnd(text, at, end))
    else if (unit === '[') brackets.push(at)
    else if (unit === ']') {
      const open = brackets.pop()
      if (text[next] === '(') next = Math.max(next, readResourceEnd(text, next, end))
      if (open !== undefined && at - open <= LONGEST_LABEL) atoms.push([open, next])
    } else if (unit === '*' || unit === '_' || unit === '~') {
      while (next < end && text[next] === unit) next++
      addEmphasis(atoms, emphasis, text, at, next)
    }
    if (next > at + 1 && unit !== '\\') atoms.push([at, next])
    at = next
  }
  for (const match of text.slice(start, end).matchAll(ADDRESS)) {
    atoms.push([start + match.index, start + match.index + match[0].length])
  }
  return join(atoms, end).flat()
}

type Atom = [start: number, end: number]

const ADDRESS = /(?:https?:\/\/|www\.)[^\s<]+/gi

/** Pairs a run of marks with the last one of its kind, as their neighbours allow. */
function addEmphasis(
  atoms: Atom[],
  open: Map<string, number>,
  text: string,
  start: number,
  end: number,
): void {
  const before = text[start - 1] ?? ' '
  const after = text[end] ?? ' '
  const run = text.slice(start, Math.min(end, start + 4))
  const isWordInside = run.startsWith('_') && LETTER.test(before) && LETTER.test(after)
  if (isWordInside) return
  const opened = open.get(run)
  if (opened !== undefined && !WHITE_SPACE.test(before)) {
    open.delete(run)
    if (end - opened <= LONGEST_EMPHASIS) atoms.push([opened, end])
  } else if (!WHITE_SPACE.test(after)) open.set(run, start)
}

const LETTER = /[\p{L}\p{N}]/u
const WHITE_SPACE = /\s/

function join(atoms: Atom[], limit: number): Atom[] {
  const joined: Atom[] = []
  for (const [start, end] of atoms.sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1)
    if (last !== undefined && start < last[1]) last[1] = Math.min(limit, Math.max(last[1], end))
    else joined.push([start, Math.min(limit, end)])
  }
  return joined
}
