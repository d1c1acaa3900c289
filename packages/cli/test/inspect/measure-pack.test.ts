import { loadTokenizer } from '@packs/codec/compress'
import { describe, expect, it } from 'vitest'
import { measureEntries } from '../../src/inspect/measure-pack.ts'

const WORDS = {
  name: 'o200k_base' as const,
  countTokens: (text: string) => text.split(/[ |=]/).filter(Boolean).length,
}

describe('measureEntries', () => {
  it('counts occurrences, their savings in context, and the cost of the entry', async () => {
    const tokenizer = { ...(await loadTokenizer('o200k_base')), ...WORDS }
    const content = 'a CTL is a log and a CTL is public; HTML'
    const rosetta = '[DECODE] CTL=certificate transparency log|ZZ=never used'
    expect(measureEntries(content, rosetta, tokenizer)).toEqual([
      {
        term: 'CTL',
        expansion: 'certificate transparency log',
        uses: 2,
        references: 0,
        gross: 4,
        header: 4,
        net: 0,
      },
      { term: 'ZZ', expansion: 'never used', uses: 0, references: 0, gross: 0, header: 3, net: -3 },
    ])
  })

  it('credits references to the referenced entry, and charges the entry that contains them in full', async () => {
    const tokenizer = { ...(await loadTokenizer('o200k_base')), ...WORDS }
    const rosetta = '[DECODE] TCL=the CL of CL|CL=certificate log CL TCL'
    expect(measureEntries('see TCL', rosetta, tokenizer)).toMatchObject([
      { term: 'TCL', uses: 1, references: 0, gross: 9, header: 11 },
      { term: 'CL', uses: 0, references: 2, gross: 6, header: 5 },
    ])
  })

  it('agrees with a count of the whole text if occurrences are apart', async () => {
    const tokenizer = await loadTokenizer('o200k_base')
    const phrase = ' certificate transparency log'
    const sentence = (text: string): string =>
      `Every${text} is public, and anybody may read it at any time.\n`
    const content = sentence('§').repeat(20)
    const [entry] = measureEntries(content, `[DECODE] §=${phrase}`, tokenizer)
    const saved = tokenizer.countTokens(sentence(phrase).repeat(20)) - tokenizer.countTokens(content)
    expect(entry).toMatchObject({ uses: 20, gross: saved })
  })

  it.each([
    ['証明書§、', '透明性ログ'],
    ['https://ex§.org/', 'ample'],
  ])('agrees with a count of the whole text without spaces: %s', async (unit, expansion) => {
    const tokenizer = await loadTokenizer('o200k_base')
    const content = unit.repeat(50)
    const [entry] = measureEntries(content, `[DECODE] §=${expansion}`, tokenizer)
    const saved = tokenizer.countTokens(content.replaceAll('§', expansion)) - tokenizer.countTokens(content)
    expect(entry).toMatchObject({ uses: 50, gross: saved })
  })
})
