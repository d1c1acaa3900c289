import { describe, expect, it } from 'vitest'
import { compress } from '../../src/compress/compress.ts'
import '../load-o200k-base.ts'

const CELL = '<td align="center" valign="top" width="14.28%">the configuration of the server is described in '
const rows = Array.from(
  { length: 40 },
  (_, row) => `${CELL}https://example.org/issues/${row * 37} item ${row}</td>`,
)
const table = `<table>\n${rows.join('\n')}\n</table>\n`

describe('occurrences that would change the structure of a line', () => {
  it('do not reduce the savings of the rest of an HTML block', () => {
    const { tokens, optimality, content } = compress(table, { scheme: 'dense-2' })
    expect(tokens.content + tokens.rosetta).toBeLessThan(tokens.source * 0.5)
    expect(optimality).toBeGreaterThan(0.95)
    expect(content.split('\n').filter((line) => line.startsWith('<td '))).toHaveLength(40)
  })

  it('are replaced by other entries', () => {
    const items = Array.from(
      { length: 30 },
      (_, row) => `${row}) [see the list of all releases](/releases/list/${row})`,
    )
    const { tokens, optimality } = compress(items.join('\n\n'), { scheme: 'dense-2' })
    expect(tokens.content + tokens.rosetta).toBeLessThan(tokens.source * 0.8)
    expect(optimality).toBeGreaterThan(0.9)
  })
})

describe('the optimality of an uncompressed text', () => {
  it('is 1 if no dictionary can pay for the marker', () => {
    expect(compress('A single sentence.', { scheme: 'dense-2' })).toMatchObject({
      scheme: 'none',
      optimality: 1,
    })
  })
})

describe('a glossary rule that gets no entry', () => {
  /** Keeps a header that saves a single token. */
  const EVERY = { scheme: 'dense-2', worthHeader: { percent: 0, tokens: 0 } } as const
  const names = 'server client proxy broker mailer printer router switch bridge camera clock radio'.split(' ')
  const text = names.map((name) => `The ${name} keeps a volatile xenon log for ${name}s.\n`).join('')
  const glossary = [
    { expansion: 'nowhere to be found', term: 'NWF' },
    { expansion: 'volatile xenon log', term: 'CTL' },
  ]

  it('keeps no words from the entries that save more', () => {
    const { content, rosetta, notes } = compress(text, { ...EVERY, glossary })
    const plain = compress(text, EVERY)
    expect(plain.entries.length).toBeGreaterThan(0)
    expect({ content, rosetta }).toEqual({ content: plain.content, rosetta: plain.rosetta })
    expect(notes.map(({ rule, code }) => [rule, code])).toEqual([
      [0, 'pin_not_found'],
      [1, 'pin_does_not_pay'],
    ])
  })

  it('gives its term to no other phrase', () => {
    const own = compress(text, EVERY).entries.map(({ term }) => term)
    expect(own.length).toBeGreaterThan(0)
    for (const term of own) {
      const rules = [{ expansion: 'volatile xenon log', term }]
      const { entries } = compress(text, { ...EVERY, glossary: rules })
      for (const entry of entries.filter((each) => each.term === term))
        expect(entry.expansion).toBe('volatile xenon log')
    }
  })
})

describe('effort best', () => {
  it.each(['minify-1', 'dense-2', 'max-2'] as const)('is never worse than fast: %s', (scheme) => {
    const words = ['packs', 'of the catalog', 'a header', 'decode', 'the source', 'tokens']
    for (let seed = 1; seed <= 12; seed++) {
      const text = Array.from({ length: 240 }, (_, at) => words[(at * at * seed + at) % 6]).join(
        seed % 2 ? ' ' : ', ',
      )
      const [fast, best] = (['fast', 'best'] as const).map((effort) => compress(text, { scheme, effort }))
      const cost = ({ tokens }: typeof fast & object): number => tokens.content + tokens.rosetta
      expect(cost(best!)).toBeLessThanOrEqual(cost(fast!))
    }
  })
})
