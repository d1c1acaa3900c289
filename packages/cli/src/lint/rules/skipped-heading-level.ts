import type { LintDocument } from '../document/lint-document.ts'
import type { Finding, Rule } from '../rule.ts'

export const skippedHeadingLevel: Rule = {
  name: 'skipped-heading-level',
  severity: 'warning',
  summary: 'a heading more than one level below the one before it',
  reason:
    'The outline has a hole: agents that cut a document by its headings put the section under the wrong parent.',
  bad: '## Install\n\n#### On Linux',
  good: '## Install\n\n### On Linux',
  createCheck: () => ({ visit: findSkips }),
}

/**
 * Returns one finding for each kind of skip: a document that skips a level once often does so
 * throughout.
 */
function findSkips({ headings, locate }: LintDocument): Finding[] {
  const skips = headings.flatMap(({ level, offset }, index) => {
    const before = headings[index - 1]?.level ?? level
    return level > before + 1 ? [{ level, before, place: locate(offset) }] : []
  })
  const kinds = Map.groupBy(skips, ({ level, before }) => `${before} ${level}`)
  return Array.from(kinds.values(), (found) => {
    const { level, before } = found[0]!
    const times = found.length === 1 ? '' : `, ${found.length} times`
    return {
      message: `A heading of level ${level} follows one of level ${before}${times}`,
      hint: `Make it level ${before + 1}, or add the heading between them.`,
      places: found.map(({ place }) => place),
    }
  })
}
