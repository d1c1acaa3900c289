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
import { listFreeLetters } from '../../../src/compress/terms/letter-table.ts'
import { o200kBase } from '../../../src/tokens/o200k-base.ts'
import { nastyMarkdown } from '../nasty-markdown.ts'
import { countRuns } from '../../count-runs.ts'

/** Keeps a header that saves a single token. */
const NOTHING = { percent: 0, tokens: 0 }

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
  /** A text with one entry, if a header may save any token: `volatile xenon log shows`. */
  const log = write(16, (one, two) => `The ${one} volatile xenon log shows a ${two}.`)

  it('returns the compression of compress', () => {
    for (const scheme of ['glossary-1', 'dense-1', 'max-1', 'none'] as const) {
      expect(explainCompression(log, { scheme }).compression).toEqual(compress(log, { scheme }))
    }
    expect(explainCompression(log, { scheme: 'none' }).rejected).toEqual([])
    expect(explainCompression('\ud800', {}).rejected).toEqual([])
  })

  it('names the rule that a phrase breaks', () => {
    const text = write(16, (one, two) => `The ${one} of the ${two}, kubelet (see ${two})`)
    expect(reasonOf(text, 'of the')).toEqual({ code: 'readability', rule: 'R5' })
    const notes = write(16, (one, two) => `Some ${one} remote notifications ${two}`)
    expect(reasonOf(notes, 'remote notifications')).toEqual({ code: 'readability', rule: 'T9' })
    expect(
      reasonOf(
        write(16, (one) => `${one} etcd ${one}`),
        'etcd',
      ),
    ).toEqual({ code: 'readability', rule: 'T11' })
  })

  it('names the entry that overlaps most positions, and their number', () => {
    const text = `${log}\n${write(2, (one) => `Some ${one} volatile xenon log rules.`)}`
    const { compression, rejected } = explainCompression(text, { most: 50, worthHeader: NOTHING })
    const { term, expansion } = compression.entries[0]!
    expect(expansion).toBe('volatile xenon log shows')
    expect(rejected).toContainEqual({
      phrase: 'volatile xenon log',
      uses: 18,
      gross: 18 * (countTokens(' volatile xenon log') - 1),
      header: countTokens('|CT=volatile xenon log'),
      net: 18 * (countTokens(' volatile xenon log') - 1) - countTokens('|CT=volatile xenon log'),
      reason: { code: 'overlaps', winner: { term, expansion }, taken: 16 },
    })
  })

  it.each([
    ['code', `\`\`\`\n${log}\n\`\`\``, {}, 'volatile xenon log shows', 16],
    [
      'structure',
      write(16, (one, two) => `[${one}]: a.md "a volatile xenon log shows a ${two}"`),
      {},
      'volatile xenon log shows',
      16,
    ],
    ['verbatim', `<!-- pack:verbatim -->\n\n${log}\n\n<!-- /pack -->\n`, {}, 'volatile xenon log shows', 16],
    ['never', log, { glossary: [{ expansion: 'xenon log', never: true }] }, 'volatile xenon log shows', 16],
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
    const options = { worthHeader: NOTHING }
    const thrice = `${log}\nMost velvet grey hats run. Few velvet grey hats stop.\nOld velvet grey hats rest here.\n`
    expect(reasonOf(thrice, 'velvet grey hats', options)).toEqual({ code: 'does_not_pay' })
    const more = `${thrice}Some velvet grey hats rest there.\n`
    expect(reasonOf(more, 'velvet grey hats', options)).toEqual({ code: 'floor', needed: 3 })
    const small = write(8, (one) => `Keep ${one} velvet grey hats`)
    const { compression } = explainCompression(small)
    expect(compression.scheme).toBe('none')
    expect(reasonOf(small, 'velvet grey hats')).toEqual({ code: 'marker' })
  })

  it('says that a phrase contains a pinned one', () => {
    const glossary = [{ expansion: 'xenon log', term: 'TL' }]
    const text = `${log}\n${write(16, (one, two) => `Each ${two} xenon log is a ${one}.`)}`
    const options = { glossary, worthHeader: NOTHING }
    expect(compress(text, options).entries.map(({ term }) => term)).toContain('TL')
    expect(reasonOf(text, 'volatile xenon log shows', options)).toEqual({
      code: 'pinned',
      rule: 0,
    })
  })

  it('says that no term is left', () => {
    // All letters of all scripts but one of Thai, of which there are too few to be a script of the text.
    const letters = listFreeLetters(o200kBase, '')
    const [spared] = letters.filter(({ script }) => script === 'Thai')
    const others = letters.flatMap(({ term, script }) =>
      term === spared!.term ? [] : script === 'Thai' ? [term] : [term, term],
    )
    const text = `${log}\n${others.join('\n')}\n${write(16, (one, two) => `${two} grey wolves howl at night ${one}`)}`
    const { compression } = explainCompression(text, { scheme: 'dense-1', worthHeader: NOTHING })
    expect(compression.entries.map(({ term }) => term)).toEqual([spared!.term])
    const reasons = explainCompression(text, { scheme: 'dense-1', most: 100, worthHeader: NOTHING }).rejected
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
      { numRuns: countRuns(50) },
    )
    expect(seen).toBeGreaterThan(25)
  })

  it('finishes quickly on very repetitive texts', () => {
    for (const text of ['ab '.repeat(8000), 'x'.repeat(20_000), '- \n'.repeat(4000)]) {
      for (const scheme of ['glossary-1', 'max-1'] as const) {
        expect(explainCompression(text, { scheme }).rejected.length).toBeLessThanOrEqual(20)
      }
    }
  })
})
