import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { READABILITY_RULES, STOP_WORDS } from '../../../src/compress/candidates/readability.ts'
import { compress } from '../../../src/compress/compress.ts'
import type { CompressionEntry } from '../../../src/compress/types.ts'
import '../../load-o200k-base.ts'
import { decode, serializeRosetta } from '../../../src/index.ts'
import { readCorpus } from '../../tokens/corpus.ts'

const WORDS =
  'amber birch cedar delta ember flint grove heron inlet jetty kiosk lemon maple nylon ocean pearl'.split(' ')

/** The expansions that glossary-1 makes of lines that share only what `frame` puts around their words. */
function expand(frame: (one: string, two: string, at: number) => string, count = 32): string[] {
  const lines = Array.from({ length: count }, (_, at) =>
    frame(WORDS[at % 16]!, WORDS[(3 * at + Math.floor(at / 16) + 1) % 16]!, at),
  )
  return compress(lines.join('\n'), EVERY).entries.map(({ expansion }) => expansion)
}

/** Keeps a header that saves a single token. */
const EVERY = { worthHeader: { percent: 0, tokens: 0 } }

describe('the rules of glossary-1 for phrases (SPEC.md §8.4, §8.6)', () => {
  it('have names', () => {
    expect(Object.keys(READABILITY_RULES)).toEqual(['R2', 'R5', 'R7', 'R8', 'T8', 'T9', 'T10', 'T11', 'T12'])
  })

  it('R2: four tokens for an entry that begins with a stop word, and R7: at least three for any entry', () => {
    const isMade = (phrase: string, uses: number): boolean => {
      const lines = Array.from({ length: uses }, (_, at) => `${WORDS[at]} ${phrase} ${WORDS[at + 1]}`)
      const rest = WORDS.flatMap((word) => [`${word} red bird sing loudly`, `${word} red bird sing loudly`])
      const { entries } = compress([...rest, ...lines].join('\n'), EVERY)
      return entries.some(({ expansion }) => expansion === phrase)
    }
    // The acronyms of these phrases take two tokens.
    const netOf = (phrase: string, uses: number): number =>
      uses * (countTokens(` ${phrase}`) - 2) - countTokens(`|BVK=${phrase}`)
    const nets: number[] = []
    for (const [phrase, least] of [
      ['bulky vapour kettles', 3],
      ['velvet grey hat', 3],
      ['with velvet gloves', 4],
    ] as const) {
      for (let uses = 2; uses < 12; uses++) {
        expect(isMade(phrase, uses), `${phrase} ${uses}`).toBe(netOf(phrase, uses) >= least)
        nets.push(netOf(phrase, uses))
      }
    }
    expect(nets).toEqual(expect.arrayContaining([2, 3, 4]))
  })

  it('R5: begins with a word, and ends with one that is not a stop word', () => {
    expect(expand((one, two) => `${one}, big grey kettles: ${two}`)).toEqual(['big grey kettles'])
    expect(expand((one, two) => `${one} big grey kettles with the ${two}`)).toEqual(['big grey kettles'])
    expect(expand((one, two) => `${one} with big grey kettles ${two}`)).toEqual(['with big grey kettles'])
  })

  it('R8: inside one line and one cell', () => {
    expect(expand((one, two) => `${one}\ngrey kettles hum\nblue velvet gloves\n${two}`).toSorted()).toEqual([
      'blue velvet gloves',
      'grey kettles hum',
    ])
    const row = (one: string, two: string): string =>
      `| ${one} big grey kettles | blue velvet gloves ${two} |`
    const cells = expand((one, two, at) => (at === 0 ? '| a | b |\n|---|---|' : row(one, two)))
    expect(cells.toSorted()).toEqual(['big grey kettles', 'blue velvet gloves'])
  })

  it('T11: two words of letters, one of them a word that says something', () => {
    expect(expand((one, two) => `${one} such as of the ${two}`)).toEqual([])
    expect(expand((one, two) => `${one} such as of the yaks ${two}`)).toEqual(['such as of the yaks'])
    expect(expand((one, two) => `${one} of 42 big grey kettles ${two}`)).toEqual(['big grey kettles'])
    expect(expand((one, two) => `${one} big grey kettles. Blue velvet gloves ${two}`).toSorted()).toEqual([
      'Blue velvet gloves',
      'big grey kettles',
    ])
    expect(
      expand((one, two) => `${one} big grey kettles (blue velvet gloves) hop ${two}`).toSorted(),
    ).toEqual(['big grey kettles', 'blue velvet gloves'])
    expect(expand((one, two) => `${one} big_grey_kettles.blue/velvet ${two}`)).toEqual([])
    expect(expand((one, two) => `${one} well-known big grey kettles, blue ${two}`)).toEqual([
      'well-known big grey kettles, blue',
    ])
    expect(expand((one, two) => `${one} doesn’t ${two}`)).toEqual([])
    expect(expand((one, two) => `${one}—透明日志。${two}`)).toEqual([])
  })
})

describe('the positions of uses (T12)', () => {
  const USES = Array.from({ length: 40 }, (_, at) => `Mark ${at} (grey kettles hum); end.\n`).join('\n')

  /** Compresses a text after others with the phrase, in which it has an entry, and shows its term as a dot. */
  const replace = (place: string): string => {
    const { content, entries } = compress(`${USES}\n§\n\n${place}`, EVERY)
    expect(entries.map(({ expansion }) => expansion)).toEqual(['grey kettles hum'])
    return content.slice(content.indexOf('§')).replaceAll(entries[0]!.term, '•')
  }

  it.each([
    ['We saw grey kettles hum, (grey kettles hum) and “grey kettles hum”; grey kettles hum!', 4],
    ['The grey kettles hum’s end. We — grey kettles hum — end: grey kettles hum…', 3],
    ['> - grey kettles hum', 1],
    ['[grey kettles hum](a.md), **grey kettles hum** and _grey kettles hum_', 0],
    ['a.grey kettles hum, x=grey kettles hum; 3grey kettles hum', 0],
    ['grey kettles hum.md and grey kettles hum:80, "grey kettles hum"=1', 0],
    ['# grey kettles hum', 0],
    ['All grey kettles hum\n===', 0],
    ['| grey kettles hum | b |\n|---|---|\n| grey kettles hum | c |', 1],
    ['See `a grey kettles hum b` and ``grey kettles hum``.', 0],
    ['<p>\nThe grey kettles hum end\n</p>', 0],
    ['See <Tip title="the grey kettles hum end" x={a grey kettles hum b}>ours</Tip>.', 0],
    ['See <Tip\n  title="the grey kettles hum end">ours</Tip>.', 0],
    ['An <open tag `and grey kettles hum end` here.', 0],
    ['See [a](b.md "the grey kettles hum end") and ![a](the grey kettles hum end).', 0],
    ['A {{< figure title="the grey kettles hum end" >}} and {% include "grey kettles hum" %}.', 0],
    ['A $$ grey kettles hum $$ and <!-- grey kettles hum --> end.', 0],
    ['The ‘grey kettles hum’ end.', 1],
  ])('%j', (place, uses) => {
    expect(replace(place).split('•')).toHaveLength(uses + 1)
  })

  it('keep expressions of MDX whole', () => {
    const text = `${USES}\nSee {f(' grey kettles hum ')} now.`
    expect(compress(text, { ...EVERY, mdx: true }).content).toContain("{f(' grey kettles hum ')}")
    expect(compress(text, EVERY).content).not.toContain("{f(' grey kettles hum ')}")
  })
})

it('every entry and use in real documents obeys the rules', () => {
  const wrong: unknown[] = []
  let count = 0
  // Few documents alone repeat enough.
  const documents = readCorpus()
  for (const text of [...documents, documents.slice(-12).join('\n\n')]) {
    const { entries, content, rosetta } = compress(text, { code: true, ...EVERY })
    expect(decode(content, rosetta)).toBe(text)
    count += entries.length
    const words = new Set((text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []).map((word) => word.toUpperCase()))
    for (const entry of entries) {
      const offences = listOffences(entry)
      if (words.has(entry.term)) offences.push('T10')
      if (offences.length > 0) wrong.push([entry, offences])
    }
    const terms = new Set(entries.map(({ term }) => term))
    for (const { 0: word, index } of content.matchAll(/[\p{L}\p{M}\p{N}_]+/gu)) {
      if (!terms.has(word)) continue
      const neighbours = [content[index - 1] ?? ' ', content[index + word.length] ?? ' ']
      if (!neighbours.every((sign) => /[\s,;:.!?()"'’“”、。「」—…]/.test(sign))) wrong.push([word, 'T12'])
    }
  }
  expect(count).toBeGreaterThanOrEqual(5)
  expect(wrong).toEqual([])
})

function listOffences({ term, expansion, gross }: CompressionEntry): string[] {
  const pair = serializeRosetta({ entries: [{ term: 'ML', expansion }] }).slice('[DECODE] '.length)
  const net = gross - countTokens(`|${pair}|`) + 1
  const words = expansion.split(/[\s,-]+/)
  const isStopWord = (word: string): boolean => STOP_WORDS.has(word.toLowerCase())
  const letters = (words.length === 1 ? words[0]! : words.map((word) => word[0]).join(''))
    .normalize('NFD')
    .toUpperCase()
  const recalls = new RegExp(`^${term.split('').join('.*')}`)
  const checks = {
    R2: net >= 4 || !isStopWord(words[0]!),
    R5: !isStopWord(words.at(-1)!),
    R7: net >= 3,
    T9: /^[A-Z]{3,4}$/.test(term) && recalls.test(letters),
    T11:
      /^\p{Script=Latin}[\p{Script=Latin} ,'’-]*\p{Script=Latin}$/u.test(expansion) &&
      (words.length === 1
        ? words[0]!.length >= 6
        : words.some((word) => word.length >= 3 && !isStopWord(word))),
  }
  return Object.entries(checks).flatMap(([rule, obeys]) => (obeys ? [] : [rule]))
}
