import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import {
  compress,
  describeRejection,
  explainCompression,
  type ExplainOptions,
  type RejectionReason,
} from '../../../src/compress/index.ts'
import { listSymbols } from '../../../src/compress/terms/symbol-table.ts'
import { o200kBase } from '../../../src/tokens/o200k-base.ts'
import { nastyMarkdown } from '../nasty-markdown.ts'

const WORDS =
  'amber birch cedar delta ember flint grove heron inlet jetty kiosk lemon maple nylon ocean pearl'.split(' ')

/** A code point that is unassigned in Unicode 15, another one for each word. */
const sign = (word: string): string => String.fromCodePoint(0x323b0 + WORDS.indexOf(word))

/** Sentences that share nothing but what `frame` puts around their words. */
function write(count: number, frame: (one: string, two: string) => string): string {
  return Array.from({ length: count }, (_, at) =>
    frame(WORDS[at % WORDS.length]!, WORDS[(3 * at + Math.floor(at / WORDS.length) + 1) % WORDS.length]!),
  ).join('\n')
}

const reasonOf = (
  markdown: string,
  phrase: string,
  options: ExplainOptions = {},
): RejectionReason | undefined =>
  explainCompression(markdown, { most: 200, ...options }).rejected.find((each) => each.phrase === phrase)
    ?.reason

describe('explainCompression', () => {
  const log = write(16, (one, two) => `The ${one} certificate transparency log shows a ${two}.`)

  it('returns the compression of compress', () => {
    for (const scheme of ['glossary-1', 'dense-1', 'max-1', 'none'] as const) {
      expect(explainCompression(log, { scheme }).compression).toEqual(compress(log, { scheme }))
    }
    expect(explainCompression(log, { scheme: 'none' }).rejected).toEqual([])
    expect(explainCompression('\ud800', {}).rejected).toEqual([])
  })

  it('names the rule that a phrase breaks', () => {
    const text = write(16, (one, two) => `The ${one} of the ${two}, kubelet (see ${two})`)
    expect(reasonOf(text, 'of the')).toEqual({ code: 'readability', rule: 'R1' })
    expect(reasonOf(text, 'kubelet (see')).toEqual({ code: 'readability', rule: 'R3' })
    expect(
      reasonOf(
        write(16, (one) => `${one} etcd ${one}`),
        'etcd',
      ),
    ).toEqual({ code: 'readability', rule: 'R6' })
    const cells = write(16, (one, two) => `| ${one} birds | eight eggs | ${two} |`)
    const table = `| a | b | c |\n|---|---|---|\n${cells}`
    expect(reasonOf(table, 'birds | eight eggs')).toEqual({ code: 'readability', rule: 'R8' })
    const versions = write(8, (one, two) => `${one} uses release 4.${WORDS.indexOf(one)} ${two}`)
    expect(reasonOf(versions, 'uses release 4')).toEqual({ code: 'readability', rule: 'R4' })
  })

  it('names the entry that overlaps most positions, and their number', () => {
    const text = `${log}\n${write(2, (one) => `Some ${one} certificate transparency rules.`)}`
    const { compression, rejected } = explainCompression(text, { most: 50 })
    const { term, expansion } = compression.entries[0]!
    expect(expansion).toBe('certificate transparency log shows a')
    expect(rejected).toContainEqual({
      phrase: 'certificate transparency',
      uses: 18,
      gross: 18 * (countTokens(' certificate transparency') - 1),
      header: countTokens('|CT=certificate transparency'),
      net: 18 * (countTokens(' certificate transparency') - 1) - countTokens('|CT=certificate transparency'),
      reason: { code: 'overlaps', winner: { term, expansion }, taken: 16 },
    })
  })

  it.each([
    ['code', `\`\`\`\n${log}\n\`\`\``, {}, 'certificate transparency log shows a', 16],
    [
      'structure',
      write(16, (one, two) => `[${one}]: /certificate/transparency/log "${two}"`),
      {},
      'certificate/transparency/log',
      16,
    ],
    [
      'verbatim',
      `<!-- pack:verbatim -->\n\n${log}\n\n<!-- /pack -->\n`,
      {},
      'certificate transparency log shows a',
      16,
    ],
    [
      'never',
      log,
      { glossary: [{ expansion: 'transparency log', never: true }] },
      'certificate transparency log shows a',
      16,
    ],
    [
      'seam',
      write(16, (one, two) => `${sign(one)}red birds sing loudly${sign(two)}`),
      { scheme: 'dense-1' },
      'red birds sing loudly',
      16,
    ],
  ] as const)('says what protects the positions: %s', (by, text, options, phrase, places) => {
    const { rejected } = explainCompression(text, options)
    const reasons = rejected.filter((each) => each.phrase.includes(phrase)).map(({ reason }) => reason)
    expect(reasons).toContainEqual({ code: 'protected', by, places })
  })

  it('says that savings are too small: for the header, the floor, or the marker', () => {
    const twice = `${log}\nMost modern steam engines run. Few modern steam engines stop.\n`
    expect(reasonOf(twice, 'modern steam engines')).toEqual({ code: 'does_not_pay' })
    const thrice = `${twice}Old modern steam engines rest.\nSome modern steam engines ran.\n`
    expect(reasonOf(thrice, 'modern steam engines')).toEqual({ code: 'floor', needed: 3 })
    const small = write(8, (one) => `Keep ${one} steam engines`)
    const { compression } = explainCompression(small)
    expect(compression.scheme).toBe('none')
    expect(reasonOf(small, 'steam engines')).toEqual({ code: 'marker' })
  })

  it('says that a phrase contains a pinned one', () => {
    const glossary = [{ expansion: 'transparency log', term: 'TL' }]
    const text = `${log}\n${write(16, (one, two) => `Each ${two} transparency log is a ${one}.`)}`
    expect(compress(text, { glossary }).entries.map(({ term }) => term)).toContain('TL')
    expect(reasonOf(text, 'certificate transparency log shows a', { glossary })).toEqual({
      code: 'pinned',
      rule: 0,
    })
  })

  it('says that no term is left', () => {
    const symbols = listSymbols(o200kBase).map(({ term }) => term)
    const text = `${log}\n${symbols.slice(1).join('\n')}\n${write(16, (one, two) => `${two} grey wolves howl at night ${one}`)}`
    const { compression } = explainCompression(text, { scheme: 'dense-1' })
    expect(compression.entries).toHaveLength(1)
    const reasons = explainCompression(text, { scheme: 'dense-1', most: 100 }).rejected
    expect(reasons.filter(({ reason }) => reason.code === 'no_term_left')).not.toEqual([])
  })

  it('lists the best phrases first, without entries and duplicates, up to the maximum', () => {
    let seen = 0
    fc.assert(
      fc.property(
        nastyMarkdown,
        fc.constantFrom('glossary-1', 'dense-1', 'max-1'),
        fc.nat(12),
        (text, scheme, most) => {
          const { compression, rejected } = explainCompression(text, { scheme, most })
          expect(compression).toEqual(compress(text, { scheme }))
          expect(rejected.length).toBeLessThanOrEqual(most)
          const phrases = new Set(rejected.map(({ phrase }) => phrase))
          expect(phrases.size).toBe(rejected.length)
          const plain = scheme === 'glossary-1' ? compression.entries : []
          expect(plain.filter(({ expansion }) => phrases.has(expansion))).toEqual([])
          for (const [at, { phrase, uses, gross, header, net, reason }] of rejected.entries()) {
            expect(text.split(phrase).length - 1).toBeGreaterThanOrEqual(uses)
            expect(net).toBe(gross - header)
            expect(net).toBeLessThanOrEqual(rejected[at - 1]?.net ?? Infinity)
            expect(describeRejection({ uses, reason })).not.toBe('')
            seen++
          }
        },
      ),
      { numRuns: 250 },
    )
    expect(seen).toBeGreaterThan(250)
  })

  it('finishes quickly on very repetitive texts', () => {
    for (const text of ['ab '.repeat(8000), 'x'.repeat(20_000), '- \n'.repeat(4000)]) {
      for (const scheme of ['glossary-1', 'max-1'] as const) {
        expect(explainCompression(text, { scheme }).rejected.length).toBeLessThanOrEqual(20)
      }
    }
  })
})
