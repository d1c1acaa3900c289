import { isMarkupKind, type LintDocument } from '../document/lint-document.ts'
import type { Finding, Rule } from '../rule.ts'

export const missingAltText: Rule = {
  name: 'missing-alt-text',
  severity: 'warning',
  summary: 'an image without alternative text',
  reason:
    'A pack carries no pictures: for an agent, as for a screen reader, the alternative text is the image.',
  bad: '![](https://example.org/login.png)',
  good: '![The sign-in form asks for an email address](https://example.org/login.png)',
  createCheck: () => ({ visit: findImages }),
}

const TAG = /<img\b(?:[^<>"']|"[^"]*"|'[^']*')*>/gi
/** `alt=""` marks a picture as decoration, which is a decision of the writer. */
const DESCRIBED = /\s(?:alt|:alt|v-bind:alt|role|aria-hidden)\b/i

function findImages(document: LintDocument): Finding[] {
  const { text, links, locate } = document
  const empty = links.filter(
    ({ isImage, textStart, textEnd }) => isImage && text.slice(textStart, textEnd).trim() === '',
  )
  return [...empty.map(({ start }) => start), ...findTags(document)].map((offset) => ({
    message: 'This image has no alternative text',
    hint: 'Describe in one sentence what the reader should see in it. For mere decoration write <img alt="" …>.',
    places: [locate(offset)],
  }))
}

/** Offsets of `<img>` tags without alternative text, in HTML and in paragraphs. */
function findTags({ text, lines, skipped }: LintDocument): number[] {
  const offsets: number[] = []
  const { starts, ends, kinds, count } = lines
  for (let line = 0; line < count; line++) {
    if (skipped[line] === 1 || !isMarkupKind(kinds[line]!)) continue
    const written = text.slice(starts[line], Math.min(ends[line]!, starts[line]! + 4000))
    if (!/<img\b/i.test(written) || written.includes('`')) continue
    for (const { 0: tag, index } of written.matchAll(TAG))
      if (!DESCRIBED.test(tag) && !hasCaption(text, starts[line]! + index))
        offsets.push(starts[line]! + index)
  }
  return offsets
}

/** Whether a caption follows before the next blank line. */
function hasCaption(text: string, offset: number): boolean {
  const after = text.slice(offset, offset + 1000)
  const caption = after.search(/<figcaption\b/i)
  const blank = after.search(/\n[ \t]*\n/)
  return caption >= 0 && (blank < 0 || caption < blank)
}
