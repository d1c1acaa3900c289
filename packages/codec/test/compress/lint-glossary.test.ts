import { expect, it } from 'vitest'
import { READABILITY_RULES } from '../../src/compress/candidates/readability.ts'
import { compress } from '../../src/compress/compress.ts'
import { lintGlossary } from '../../src/compress/lint-glossary.ts'
import type { GlossaryRule } from '../../src/compress/types.ts'
import '../load-o200k-base.ts'
import { listPairs } from '../../../test-kit/test/list-pairs.ts'

const lint = (rule: GlossaryRule): string[] => lintGlossary([rule]).map(({ broken }) => broken)

it.each(
  listPairs([
    [['R5'], 'such as of the', ' log entries', 'log, entries and so on'],
    [
      ['T11'],
      'of an ox',
      'the log (see',
      'the `log entry` of “many” logs',
      'log entries.',
      '透明日志',
      'log',
    ],
    [['T11'], 'information', 'kubelet.service', 'version 6.1'],
    [[], 'of the log', 'log, entries and notes', 'kubeletconfiguration'],
    [['R8', 'T11'], 'log\nentries', 'log | entry'],
  ]),
)('checks the phrase %j', (expansion, broken) => {
  expect(lint({ expansion })).toEqual(broken)
})

it.each([
  ['it', ['T9', 'T10']],
  ['IT', ['T10']],
  ['QU', ['T9']],
  ['ITU', ['T10']],
  ['TYU', ['T9']],
  ['한', ['T9']],
])('checks the term %j of information technologies with T9 and T10', (term, broken) => {
  expect(lint({ expansion: 'information technologies used', term })).toEqual(broken)
})

it.each([
  ['€', ['T8']],
  ['<T1>', ['T8']],
  ['한', []],
  ['LE', []],
])('checks the term %j under dense-1 and max-1 with T8', (term, broken) => {
  for (const scheme of ['dense-1', 'max-1'] as const) {
    const found = lintGlossary([{ expansion: 'log entry', term }], { scheme })
    expect(found.map((warning) => warning.broken)).toEqual(broken)
  }
  expect(lintGlossary([{ expansion: 'log entry', term }], { scheme: 'none' })).toEqual([])
})

it('allows a known acronym for what it means', () => {
  expect(lint({ expansion: 'application programming interface', term: 'API' })).toEqual([])
  expect(lint({ expansion: 'air pressure indicator', term: 'API' })).toEqual(['T10'])
})

it('checks R2 and R7 against the net tokens of the entries', () => {
  const entry = {
    term: 'OTL',
    expansion: 'of the log',
    uses: 3,
    references: 0,
    gross: 8,
    header: 5,
    net: 3,
  }
  const of = (entries: readonly (typeof entry)[], expansion: string): string[] =>
    lintGlossary([{ expansion }], { entries }).map(({ broken }) => broken)
  expect(of([entry], 'of the log')).toEqual(['R2'])
  expect(of([{ ...entry, gross: 9, net: 4 }], 'of the log')).toEqual([])
  expect(of([{ ...entry, expansion: 'log entry' }], 'log entry')).toEqual([])
  expect(of([{ ...entry, expansion: 'log entry', gross: 7, net: 2 }], 'log entry')).toEqual(['R7'])
  expect(of([], 'of the log')).toEqual([])
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
      broken: 'T11',
      message: `Glossary entry breaks T11 (${READABILITY_RULES.T11}): ${JSON.stringify(expansion.slice(0, 80))}`,
    },
  ])
})

it('does not stop the compressor from using a pinned entry', () => {
  const words = ['log', 'key', 'tree', 'root', 'leaf', 'hash', 'seal', 'proof', 'node', 'path']
  const markdown = words.flatMap((one) => words.map((two) => `${one} of the ${two}`)).join('.\n')
  const glossary = [{ expansion: 'of the', term: 'FO' }]
  const { entries, tokenizer } = compress(markdown, { glossary })
  expect(entries).toContainEqual(expect.objectContaining({ term: 'FO', expansion: 'of the', uses: 100 }))
  expect(lintGlossary(glossary, { entries, tokenizer }).map(({ broken }) => broken)).toEqual(['R5', 'T9'])
})
