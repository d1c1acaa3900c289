import { describe, expect, it } from 'vitest'
import { findNearDuplicates } from '../../src/lint/words/find-near-duplicates.ts'
import { ruleTable } from '../../src/lint/rule-table.ts'
import { readDocument } from './lint-texts.ts'

const SIZE = 200_000
const fill = (text: string): string => text.repeat(Math.floor(SIZE / text.length))

describe('texts that are difficult to read', () => {
  it.each(
    [
      'a',
      ' ',
      '\n',
      '[',
      '](',
      '<',
      '{',
      '*',
      '`',
      '|',
      '#',
      'ー',
      'あ',
      '\\',
      '<!--',
      '[a](',
      '![](',
      '<img "',
      '{{< code ',
      'http://',
    ].map((text) => [JSON.stringify(text), fill(text)]),
  )('%s many times gives few findings', (_, text) => {
    const document = readDocument(text)
    // Each of these texts is one long section.
    for (const rule of ruleTable.filter(({ name }) => name !== 'long-section')) {
      const check = rule.createCheck()
      expect([...check.visit(document), ...(check.finish?.() ?? [])]).toEqual([])
    }
  })

  it('joins 100,000 headings in one finding', () => {
    const document = readDocument('## Same\n\n'.repeat(100_000))
    const check = ruleTable.find(({ name }) => name === 'repeated-heading')!.createCheck()
    expect(check.visit(document).map(({ places }) => places.length)).toEqual([99_999])
  })

  it('reads a table of 10,000 cells in one finding', () => {
    const row = '| a                                                  | b                                |\n'
    const document = readDocument(`${row}| - | - |\n${row.repeat(5_000)}`)
    const check = ruleTable.find(({ name }) => name === 'padded-table')!.createCheck()
    expect(check.visit(document)).toHaveLength(1)
  })

  it('puts each unit in at most 33 phrases', () => {
    const { words } = readDocument(
      `You can't open it. ${"You cannot open the big red door can't you ".repeat(2_000)}`,
    )
    let texts = 0
    const counted = new Proxy(words.texts, {
      get: (target, key, receiver) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) texts++
        return Reflect.get(target, key, receiver) as unknown
      },
    })
    findNearDuplicates({ ...words, texts: counted })
    expect(texts).toBeLessThanOrEqual(words.texts.length)
  })
})
