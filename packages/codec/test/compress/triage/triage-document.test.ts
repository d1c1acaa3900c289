import { globSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { compress, triageDocument, type Triage } from '../../../src/compress/index.ts'
import { nastyMarkdown } from '../nasty-markdown.ts'

const folder = new URL('../../../../../examples/packs/', import.meta.url)
const packs = globSync('*.md', { cwd: folder }).map((file) => ({
  file,
  text: readFileSync(new URL(file, folder), 'utf8'),
}))

const shareOf = (name: 'code' | 'links' | 'tables' | 'cjk', text: string): number =>
  triageDocument(text)[name]

describe('triageDocument', () => {
  it('counts tokens and shares of code, tables, links and scripts without spaces', () => {
    const prose = 'Birds sing in the morning.\n'
    const fence = '```js\nconst birds = sing()\n```\n'
    const text = `${prose}\n${fence}`
    expect(triageDocument(text).tokens).toBe(countTokens(text))
    const code = countTokens('const birds = sing()\n')
    expect(shareOf('code', text)).toBeCloseTo(code / countTokens(text), 1)
    expect(shareOf('code', prose)).toBe(0)
    const table = `${prose}\n| a | b |\n|---|---|\n| c | d |\n`
    const rows = countTokens('| a | b |\n|---|---|\n| c | d |\n')
    expect(Math.abs(shareOf('tables', table) - rows / countTokens(table))).toBeLessThan(0.1)
    expect(shareOf('tables', 'a | b\n')).toBe(0)
    expect(shareOf('cjk', '透明日志')).toBe(1)
    expect(shareOf('cjk', `${prose}透明日志\n`)).toBeCloseTo(
      countTokens('透明日志') / countTokens(`${prose}透明日志\n`),
      1,
    )
  })

  it.each([
    ['<https://example.com/a>', 'https://example.com/a'],
    ['https://example.com/a_(b).', 'https://example.com/a_(b)'],
    ['[birds](../sing/loud.md "Birds")', '(../sing/loud.md "Birds")'],
    ['![birds](sing.png)', '(sing.png)'],
  ])('finds the link in %s', (text, link) => {
    const words = 'Birds sing in the morning, and '
    const expected = countTokens(link) / countTokens(words + text)
    expect(Math.abs(shareOf('links', words + text) - expected)).toBeLessThan(0.15)
    expect(shareOf('links', words)).toBe(0)
  })

  it('counts phrases of six tokens or more that stand twice in lines, outside code for prose', () => {
    const phrase = 'the red birds of the north sing'
    expect(countTokens(` ${phrase}`)).toBe(7)
    const twice = `One day ${phrase} here.\nAll night ${phrase} there.\n`
    const { repetition, proseRepetition } = triageDocument(twice)
    expect(repetition).toBeCloseTo((2 * 7) / countTokens(twice), 1)
    expect(proseRepetition).toBe(repetition)
    expect(triageDocument('One red bird sings here.\nAll red birds sing there.\n').repetition).toBe(0)
    const broken = `One day ${phrase.replace('of', 'of\n')} here.\nAll night ${phrase.replace('of', 'of\n')}there.\n`
    expect(triageDocument(broken).repetition).toBe(0)
    const coded = triageDocument(`\`\`\`\n${twice}\`\`\`\n`)
    expect(coded.repetition).toBeGreaterThan(0.3)
    expect(coded.proseRepetition).toBe(0)
  })

  it('gives shares from 0 to 1 and ranges from 0 up for every text', () => {
    fc.assert(
      fc.property(fc.oneof(nastyMarkdown, fc.string({ unit: 'binary' })), (text) => {
        const { expected, tokens, ...shares } = triageDocument(text)
        expect(Object.values(shares).every((share) => share >= 0 && share <= 1)).toBe(true)
        expect(expected.every(({ low, high }) => low >= 0 && low <= high)).toBe(true)
        expect(tokens).toBe(countTokens(text, { disallowedSpecial: new Set() }))
      }),
      { numRuns: 500 },
    )
    const { tokens, expected } = triageDocument('')
    expect([tokens, ...expected.flatMap(({ low, high }) => [low, high])]).toEqual(Array(9).fill(0))
  })

  it('expects of the example packs, to which nothing was fitted, what they save', () => {
    const figures = packs.map(({ text }) => ({ text, triage: triageDocument(text) }))
    for (const [place, { scheme, code }] of figures[0]!.triage.expected.entries()) {
      const inside = figures.filter(({ text, triage }) => {
        const { tokens } = compress(text, { scheme, code })
        const net = 100 * (1 - (tokens.content + tokens.rosetta) / tokens.source)
        const { low, high } = triage.expected[place]!
        return net > low - 0.1 && net < high + 0.1
      })
      expect(inside.length / packs.length).toBeGreaterThanOrEqual(0.7)
    }
  })

  it('expects more of denser schemes, of longer documents and of more repetition', () => {
    const best = ({ expected }: Triage): number[] => expected.map(({ high }) => high)
    for (const { text } of packs) {
      const [glossary, withCode, dense, max] = best(triageDocument(text)) as [number, number, number, number]
      expect(withCode).toBeGreaterThanOrEqual(glossary - 0.5)
      expect(dense).toBeGreaterThan(withCode)
      expect(max).toBeGreaterThan(dense)
    }
    const few = packs.map(({ text }) => text).join('\n')
    const more = few + few
    for (const [place, high] of best(triageDocument(few)).entries())
      expect(best(triageDocument(more))[place]).toBeGreaterThan(high)
  })

  it('is fast with a megabyte without a space and with hostile links', () => {
    for (const text of [
      'x'.repeat(300_000),
      '[a]('.repeat(50_000),
      '<https:'.repeat(30_000),
      '透'.repeat(100_000),
    ]) {
      expect(triageDocument(text).tokens).toBeGreaterThan(0)
    }
  })
})
