import { formatCount } from '../../output/terminal.ts'
import type { LintDocument } from '../document/lint-document.ts'
import type { Finding, Rule } from '../rule.ts'

export const doubledAddress: Rule = {
  name: 'doubled-address',
  severity: 'info',
  summary: 'a link whose text is its own URL',
  reason: 'The URL costs its tokens twice, and the text still does not say what the reader finds there.',
  bad: '[https://example.org/guide](https://example.org/guide)',
  good: '[The guide of Example](https://example.org/guide)',
  createCheck: () => ({ visit: findDoubled }),
}

/** Returns one finding for all such links of a document. */
function findDoubled({ text, links, locate, countTokens }: LintDocument): Finding[] {
  const doubled = links.filter(
    ({ isImage, target, textStart, textEnd }) =>
      !isImage &&
      target !== undefined &&
      /^https?:\/\//i.test(target) &&
      text.slice(textStart, textEnd).trim() === target,
  )
  if (doubled.length === 0) return []
  let saves = 0
  for (const { start, end, target } of doubled)
    saves += countTokens(text.slice(start, end)) - countTokens(`<${target}>`)
  return [
    {
      message:
        doubled.length === 1
          ? 'A link repeats its URL as its text'
          : `${doubled.length} links repeat their URL as their text`,
      hint: `Write what the reader finds there, or <${doubled[0]!.target}>: that saves ${formatCount(saves)} tokens.`,
      places: doubled.map(({ start }) => locate(start)),
      saves,
    },
  ]
}
