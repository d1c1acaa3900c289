import { type Heading, isMarkupKind, type LintDocument } from '../document/lint-document.ts'
import type { Finding, Rule } from '../rule.ts'

export const repeatedHeading: Rule = {
  name: 'repeated-heading',
  severity: 'warning',
  summary: 'a heading that repeats at the same level under the same parent',
  reason:
    'Readers and agents cannot tell the two sections apart, and the anchor of one moves when the other does.',
  bad: '## Install\n\n### Example\n\nnpm\n\n### Example\n\npnpm',
  good: '## Install\n\n### Example with npm\n\nnpm\n\n### Example with pnpm\n\npnpm',
  createCheck: () => ({ visit: findRepeats }),
}

/** Returns one finding for all headings of one text under one parent. */
function findRepeats(document: LintDocument): Finding[] {
  const repeats = new Map<Heading, Heading[]>()
  /** The headings that contain the current one, each with the first section of each text. */
  const path: { readonly level: number; readonly seen: Map<string, Heading> }[] = [
    { level: 0, seen: new Map() },
  ]
  const wrappers = countWrappers(document)
  for (const heading of document.headings) {
    while (path.length > 1 && path.at(-1)!.level >= heading.level) path.pop()
    // Headings in different tabs or versions of a page are not shown together.
    const key = `${heading.level} ${wrappers[heading.line]} ${heading.text.toLowerCase()}`
    const { seen } = path.at(-1)!
    const first = seen.get(key)
    if (first === undefined) seen.set(key, heading)
    else if (heading.text !== '' && (heading.anchor === '' || heading.anchor === first.anchor)) {
      const known = repeats.get(first)
      if (known === undefined) repeats.set(first, [heading])
      else known.push(heading)
    }
    path.push({ level: heading.level, seen: new Map() })
  }
  return [...repeats].map(([first, others]) => describe(document, first, others))
}

function describe({ locate }: LintDocument, first: Heading, others: readonly Heading[]): Finding {
  const { line } = locate(first.offset)
  return {
    message: `The heading “${first.text}” is also on line ${line}, at the same level under the same parent`,
    hint: 'Add what tells the sections apart.',
    places: others.map(({ offset }) => locate(offset)),
  }
}

const WRAPPER = /^(?:<\/?[A-Za-z][^<>]*>|\{[{%][<%]?[^{}]*\}?\}|:{3}.*|={3} .*)$/
const LONGEST = 1000

/**
 * For each line, how many lines that open or close a wrapper (a tag, a template, a container with
 * `:::`) are before it.
 */
function countWrappers({ text, lines, skipped }: LintDocument): Uint32Array {
  const { count, starts, ends, kinds } = lines
  const counts = new Uint32Array(count)
  let wrappers = 0
  for (let line = 0; line < count; line++) {
    counts[line] = wrappers
    if (skipped[line] === 1 || !isMarkupKind(kinds[line]!)) continue
    if (ends[line]! - starts[line]! <= LONGEST && WRAPPER.test(text.slice(starts[line], ends[line]).trim()))
      wrappers++
  }
  return counts
}
