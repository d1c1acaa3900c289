import { getTokenizer } from '@packs/codec/internal'
import { describe, expect, it } from 'vitest'
import { lintTexts, listLocations } from '../lint-texts.ts'

const count = (text: string): number => getTokenizer('o200k_base').countTokens(text)

describe('padded-table', () => {
  const RULE = 'padded-table'
  const row = (a: string, b: string, c: string): string =>
    `| ${a.padEnd(30)} | ${b.padEnd(40)} | ${c.padEnd(30)} |`
  const padded = [
    row('key', 'means', 'since'),
    row('---', '---', '---').replaceAll(/ {2,}/g, (fill) => '-'.repeat(fill.length)),
    ...Array.from({ length: 12 }, (_, at) => row(`k${at}`, 'a value', `1.${at}`)),
  ].join('\n')
  const plain = padded.replaceAll(/ {2,}/g, ' ').replaceAll(/-{4,}/g, '---')

  it('counts what an unpadded table saves', () => {
    const [finding, ...more] = lintTexts(RULE, `# A\n\n${padded}\n`)
    expect(more).toEqual([])
    expect(finding!.saves).toBeGreaterThan(20)
    expect(Math.abs(finding!.saves! - (count(padded) - count(plain)))).toBeLessThanOrEqual(3)
    expect(listLocations([finding!])).toEqual(['a.md:3:1'])
  })

  it('reports all tables of a document together', () => {
    expect(listLocations(lintTexts(RULE, `${padded}\n\ntext\n\n${padded}`))).toEqual([
      'a.md:1:1',
      'a.md:18:1',
    ])
  })

  it.each([
    ['an unpadded table', plain],
    ['a table with little padding', '| a   | b   |\n| --- | --- |\n| x   | y   |'],
    ['a table in code', `\`\`\`\n${padded}\n\`\`\``],
    ['a verbatim region', `<!-- pack:verbatim -->\n${padded}\n<!-- /pack -->`],
  ])('does not report %s', (_, text) => {
    expect(lintTexts(RULE, text)).toEqual([])
  })
})

describe('hidden-comment', () => {
  const RULE = 'hidden-comment'
  const note =
    '<!--\nRemember to ask the other team whether these limits are still the ones of last year. If they are not, change the table and the two pages that link to it, and tell the support team about it before the release.\n-->'

  it('reports text in comments with its tokens', () => {
    const [finding] = lintTexts(RULE, `# A\n\n${note}\n\ntext\n\n> ${note.replaceAll('\n', ' ')}`)
    expect(listLocations([finding!])).toEqual(['a.md:3:1', 'a.md:9:3'])
    expect(finding!.saves).toBe(count(note) + count(note.replaceAll('\n', ' ')))
  })

  it('reports a comment that is not closed', () => {
    expect(lintTexts(RULE, `${note}\n\n${note.replace('-->', '')}`)[0]!.places).toHaveLength(2)
  })

  it('reads other languages', () => {
    const german =
      '<!-- Bitte vor der nächsten Veröffentlichung noch einmal mit dem anderen Team klären, ob diese Grenzen auch im neuen Jahr weiter gelten sollen, und danach die Tabelle ändern. -->'
    expect(lintTexts(RULE, `${german}\n\n${german}`)).toHaveLength(1)
  })

  it.each([
    ['marks for programs', '<!-- prettier-ignore -->\n\n<!-- more -->\n\n<!-- toc -->'],
    ['a licence', note.replace('Remember', 'Copyright 2026: remember')],
    ['what must stay', note.replace('Remember', 'Do not remove: remember')],
    [
      'data for a program',
      '<!--\n```YAML history\nadded: one two three four five six seven eight nine ten eleven twelve\n```\n-->'.repeat(
        3,
      ),
    ],
    ['comments in code', `\`\`\`html\n${note}\n\`\`\``],
  ])('does not report %s', (_, text) => {
    expect(lintTexts(RULE, text)).toEqual([])
  })
})
