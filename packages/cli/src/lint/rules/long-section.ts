import { isCodeKind, isRowKind } from '@packs/codec/markdown'
import { formatCount } from '../../output/terminal.ts'
import { isHtmlKind, type LintDocument } from '../document/lint-document.ts'
import type { Finding, LintSettings, Rule } from '../rule.ts'

/** Tokens of a section unless `--section-tokens` says otherwise. */
export const SECTION_TOKENS = 1500

export const longSection: Rule = {
  name: 'long-section',
  severity: 'info',
  summary: 'a section whose text has more tokens than a limit, without a heading inside',
  reason:
    'Agents fetch documents by section, and readers look for headings: a long section costs both all of it.',
  bad: '## Configuration\n\n(1,900 tokens of text without another heading)',
  good: '## Configuration\n\n### Network\n\n(900 tokens)\n\n### Storage\n\n(1,000 tokens)',
  createCheck: (settings) => ({ visit: (document) => findLong(document, settings) }),
}

function findLong(document: LintDocument, { sectionTokens }: LintSettings): Finding[] {
  const { headings, lines, locate, countTokens, isRecord } = document
  if (isRecord) return []
  const findings: Finding[] = []
  const add = (line: number, nextLine: number, offset: number, name: string): void => {
    const text = readDivisible(document, line, nextLine)
    // A token has at least one UTF-8 byte, and a UTF-16 unit has at most three.
    if (text.length * 3 <= sectionTokens) return
    const tokens = countTokens(text)
    if (tokens <= sectionTokens) return
    findings.push({
      message: `${name} has ${formatCount(tokens)} tokens up to the next heading, without code, tables and targets of links: more than ${formatCount(sectionTokens)}`,
      hint: 'Divide it with headings that name its parts.',
      places: [locate(offset)],
    })
  }
  const ends = [...headings.map(({ line }) => line), lines.count]
  add(0, ends[0]!, 0, 'The text before the first heading')
  headings.forEach(({ line, offset, text }, at) => add(line, ends[at + 1]!, offset, `The section “${text}”`))
  return findings
}

/** A line of a table of contents. */
const ONLY_LINK = /^\s*(?:[-*+]|\d+[.)])\s+\[[^[\]]*\]\([^()]*\)\s*$/
const TARGET = /\]\([^()\s]*\)/g

/**
 * Returns the text that headings can divide: without code, tables, HTML, link targets and tables of
 * contents.
 */
function readDivisible({ text, lines, skipped }: LintDocument, from: number, to: number): string {
  const { starts, ends, kinds } = lines
  let divisible = ''
  for (let line = from; line < to; line++) {
    const kind = kinds[line]!
    if (skipped[line] === 1 || isCodeKind(kind) || isRowKind(kind) || isHtmlKind(kind)) continue
    const written = text.slice(starts[line], ends[line])
    if (!ONLY_LINK.test(written)) divisible += `${written.replace(TARGET, ']')}\n`
  }
  return divisible
}
