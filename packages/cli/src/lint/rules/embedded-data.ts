import { isCodeKind, LineKind } from '@packs/codec/markdown'
import { formatCount } from '../../output/format-table.ts'
import type { LintDocument } from '../document/lint-document.ts'
import type { Finding, Rule } from '../rule.ts'

/** Reports files that are written into the text as data URIs. */
export const embeddedData: Rule = {
  name: 'embedded-data',
  severity: 'warning',
  summary: 'a file written into the text as a data URI',
  reason: 'Base64 costs about one token for two characters, and no agent can see the picture in it.',
  bad: '![Logo](data:image/png;base64,iVBORw0KGgo…)',
  good: '![Logo](https://example.org/logo.png)',
  createCheck: () => ({ visit: findData }),
}

/** Shorter ones are examples of what a data URI looks like. */
const DATA = /data:[\w.+-]{0,60}(?:\/[\w.+-]{0,60})?(?:;[\w=-]{1,60}){0,4}[;,]base64,[A-Za-z0-9+/=%_-]{100,}/g

function findData({ text, lines, skipped, placeAt, countTokens }: LintDocument): Finding[] {
  const { starts, ends, kinds, count } = lines
  const findings: Finding[] = []
  if (!text.includes('base64,')) return findings
  for (let line = 0; line < count; line++) {
    const kind = kinds[line]!
    if (skipped[line] === 1 || isCodeKind(kind) || kind === LineKind.blank) continue
    const written = text.slice(starts[line], ends[line])
    if (!written.includes('base64,')) continue
    for (const { 0: data, index } of written.matchAll(DATA)) {
      const saves = countTokens(data)
      findings.push({
        message: `A data URI of ${formatCount(saves)} tokens`,
        hint: 'Save it as a file and link to the file.',
        places: [placeAt(starts[line]! + index)],
        saves,
      })
    }
  }
  return findings
}
