import { describe, expect, it } from 'vitest'
import { compress, lintGlossary, READABILITY_RULES, type GlossaryRule } from '../../../src/compress/index.ts'

const lint = (rule: GlossaryRule, markdown?: string): string[] =>
  lintGlossary([rule], markdown === undefined ? {} : { markdown }).map(({ broken }) => broken)

describe('lintGlossary', () => {
  it.each([
    ['such as of the', ['R1']],
    ['of the log', []],
    ['the log (see', ['R3']],
    ['log “entry', ['R3']],
    ['the `log entry` of “many” logs', []],
    ['a log (or [all] of them)', ['R5']],
    [' log entries', ['R5']],
    ['log entries.', ['R5']],
    ['透明日志', []],
    ['透', ['R6']],
    ['log', ['R6']],
    ['information', ['R6']],
    ['kubelet.service', []],
    ['kubeletconfiguration', []],
    ['log\nentries', ['R8']],
    ['log | entry', ['R8']],
    ['log \\| entry', []],
    ['“(log', ['R3', 'R5', 'R6']],
  ])('checks the readability of %j', (expansion, broken) => {
    expect(lint({ expansion })).toEqual(broken)
  })

  it.each([
    ['it', ['R9']],
    ['AND', ['R9']],
    ['ITX', []],
  ])('checks R9 for the term %j', (term, broken) => {
    expect(lint({ expansion: 'information technology', term })).toEqual(broken)
  })

  it('checks R4: no use cuts a number, a version or a section reference in the text', () => {
    const rule = { expansion: 'see section 4' }
    expect(lint(rule, 'We see section 4.\nWe see section 4, too.')).toEqual([])
    for (const number of ['4.2', '4-7', '4:30', '4/2', '4,000'])
      expect(lint(rule, `We see section ${number}.`)).toEqual(['R4'])
    expect(lint({ expansion: '2 of the draft' }, 'Version 1.2 of the draft')).toEqual(['R4'])
    expect(lint({ expansion: '2 of the draft' }, 'Part 2 of the draft')).toEqual([])
  })

  it('checks R2 and R7 against the net tokens of the entries', () => {
    const entry = { term: 'LO', expansion: 'log of', uses: 3, references: 0, gross: 8, header: 5, net: 3 }
    const of = (entries: readonly (typeof entry)[], expansion: string): string[] =>
      lintGlossary([{ expansion }], { entries }).map(({ broken }) => broken)
    expect(of([entry], 'log of')).toEqual(['R2'])
    expect(of([{ ...entry, gross: 9, net: 4 }], 'log of')).toEqual([])
    expect(of([{ ...entry, expansion: 'log entry' }], 'log entry')).toEqual([])
    expect(of([{ ...entry, expansion: 'log entry', gross: 7, net: 2 }], 'log entry')).toEqual(['R7'])
    expect(of([], 'log of')).toEqual([])
  })

  it('reports the rule of the glossary and the phrase, cut at 80 characters', () => {
    const expansion = `(${'very '.repeat(30)}long`
    const warnings = lintGlossary([
      { expansion: 'a good phrase' },
      { expansion: '(x', never: true },
      { expansion },
    ])
    expect(warnings).toEqual([
      {
        rule: 2,
        broken: 'R3',
        message: expect.stringContaining(`: ${JSON.stringify(expansion.slice(0, 80))}`),
      },
      {
        rule: 2,
        broken: 'R5',
        message: `Glossary entry against R5, ${READABILITY_RULES.R5}: ${JSON.stringify(expansion.slice(0, 80))}`,
      },
    ])
  })

  it('does not stop the compressor from using a pinned entry', () => {
    const words = ['log', 'key', 'tree', 'root', 'leaf', 'hash', 'seal', 'proof', 'node', 'path']
    const markdown = words.flatMap((one) => words.map((two) => `${one} of the ${two}`)).join('.\n')
    const glossary = [{ expansion: 'of the', term: 'FO' }]
    const { entries, tokenizer } = compress(markdown, { glossary })
    expect(entries).toContainEqual(expect.objectContaining({ term: 'FO', expansion: 'of the', uses: 100 }))
    expect(lintGlossary(glossary, { markdown, entries, tokenizer }).map(({ broken }) => broken)).toEqual([
      'R1',
    ])
  })
})
