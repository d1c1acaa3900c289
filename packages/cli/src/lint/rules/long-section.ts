import { formatCount } from '../../output/format-table.ts'
import type { LintDocument } from '../document/lint-document.ts'
import type { Finding, LintSettings, Rule } from '../rule.ts'

/** Tokens of a section unless `--section-tokens` says otherwise. */
export const SECTION_TOKENS = 2000

/** Reports sections over a size. */
export const longSection: Rule = {
  name: 'long-section',
  severity: 'info',
  summary: 'a section with more tokens than a limit, without a heading inside',
  reason:
    'Agents fetch documents by section, and readers look for headings: a long section costs both all of it.',
  bad: '## Configuration\n\n(2,400 tokens without another heading)',
  good: '## Configuration\n\n### Network\n\n(900 tokens)\n\n### Storage\n\n(1,500 tokens)',
  createCheck: (settings) => ({ visit: (document) => findLong(document, settings) }),
}

function findLong(document: LintDocument, { sectionTokens }: LintSettings): Finding[] {
  const { headings, lines, text, placeAt, countTokens } = document
  const findings: Finding[] = []
  const add = (line: number, end: number, offset: number, name: string): void => {
    const start = lines.starts[line] ?? text.length
    // A token has at least one UTF-8 byte, and a UTF-16 unit has at most three.
    if ((end - start) * 3 <= sectionTokens) return
    const tokens = countTokens(text.slice(start, end))
    if (tokens <= sectionTokens) return
    findings.push({
      message: `${name} has ${formatCount(tokens)} tokens up to the next heading, more than ${formatCount(sectionTokens)}`,
      hint: 'Divide it with headings that name its parts.',
      places: [placeAt(offset)],
    })
  }
  const [first] = headings
  add(
    0,
    first === undefined ? text.length : lines.starts[first.line]!,
    0,
    'The text before the first heading',
  )
  headings.forEach(({ line, offset, text: title }, index) => {
    const next = headings[index + 1]
    add(line, next === undefined ? text.length : lines.starts[next.line]!, offset, `The section “${title}”`)
  })
  return findings
}
