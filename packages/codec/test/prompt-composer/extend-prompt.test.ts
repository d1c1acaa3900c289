import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { CodecError, decode, parseRosetta } from '../../src/index.ts'
import { framePacks, INSTRUCTION } from '../../src/prompt/frame-packs.ts'
import { SYMBOLS } from '../../src/prompt/free-terms.ts'
import {
  type CompressError,
  composePrompt,
  extendPrompt,
  type PriorPrompt,
  type PromptDocument,
} from '../../src/prompt-composer/index.ts'
import { extend, readFrames } from './read-frames.ts'
import { makeDocument, writeText } from './sample-documents.ts'

const TEXTS = ['Alpha', 'Beta', 'Gamma', 'Delta'].map((name) => writeText(name, 12))
const PACKS = TEXTS.map((text, index) => makeDocument(text, `text-${index}`))
const plain = (content: string, slug = 'plain'): PromptDocument => ({ slug, content, rosetta: '[DECODE]' })
const learning = {
  text: `${INSTRUCTION}[DECODE] ML=machine learning|§=the section on \n\n<pack>\nML, §ML.\n</pack>\n`,
  rosetta: '[DECODE] ML=machine learning|§=the section on ',
}

describe('the addition', () => {
  test.each(['glossary-1', 'dense-1', 'max-1'] as const)('decodes with the joined header: %s', (scheme) => {
    const prompt = composePrompt(PACKS.slice(0, 2), { scheme })
    const added = extendPrompt(prompt, PACKS.slice(2), { scheme })
    expect(readFrames(added.append, added.rosetta)).toEqual(TEXTS.slice(2))
    expect(readFrames(prompt.text, added.rosetta)).toEqual(TEXTS.slice(0, 2))
    expect(added.terms).toEqual(parseRosetta(added.rosetta).entries)
    expect(added.terms.slice(0, prompt.terms.length)).toMatchObject(
      prompt.terms.map(({ term, expansion }) => ({ term, expansion })),
    )
    expect(added.tokens).toBe(countTokens(added.append))
    expect(countTokens(prompt.text + added.append)).toBe(prompt.tokens + added.tokens)
  })

  test('follows the prompt in scheme and tokenizer, and refuses packs that count otherwise', () => {
    const prompt = composePrompt(PACKS.slice(0, 2), { scheme: 'dense-1' })
    const added = extendPrompt(prompt, [plain(TEXTS[2]!)])
    expect(added.append).toBe(extendPrompt(prompt, [plain(TEXTS[2]!)], { scheme: 'dense-1' }).append)
    const other = { ...PACKS[2]!, slug: 'other', tokenizer: 'cl100k_base' as const }
    expect(() => extendPrompt(prompt, [other])).toThrow(
      expect.objectContaining({ code: 'mixed_tokenizers', pack: { index: 0, slug: 'other' } }),
    )
    expect(extendPrompt(prompt, [other], { tokenizer: 'o200k_base' }).tokens).toBeGreaterThan(0)
  })

  test('begins with a line of its new entries, and has frames of another name', () => {
    const prompt = composePrompt(PACKS.slice(0, 2))
    const other =
      'A kubelet restarts the failed container of a pod, and reports the failed container.\n'.repeat(4)
    const { append, terms } = extendPrompt(prompt, [plain(other, 'kubelet')], { scheme: 'dense-1' })
    const line = append.slice(0, append.indexOf('\n'))
    expect(parseRosetta(line).entries).toEqual(terms.slice(prompt.terms.length))
    expect(append.slice(line.length)).toMatch(/^\n\n<pack-2 title="kubelet">\n[^]*\n<\/pack-2>\n$/)
    for (const { term } of parseRosetta(line).entries) expect(prompt.text).not.toContain(term)
  })

  test('uses terms of the prompt, without a header of its own', () => {
    const { append, rosetta } = extendPrompt(learning, [plain('A talk: the section on machine learning.')])
    expect(append).toBe('<pack-2 title="plain">\nA talk: §ML.\n</pack-2>\n')
    expect(rosetta).toBe(learning.rosetta)
  })

  test('uses no term where it would not be read or would change lines, code or what stays verbatim', () => {
    const body = [
      'A machine learning_rate, xmachine learning and the section on\tit.',
      '',
      '```',
      'machine learning',
      '```',
      '<!-- pack:verbatim -->',
      'machine learning',
      '<!-- /pack -->',
      '',
    ].join('\n')
    const { append } = extendPrompt(learning, [plain(body)])
    expect(append).toContain(`>\n${body}\n<`)
    const never = { ...plain('machine learning'), glossary: [{ expansion: 'machine', never: true }] }
    expect(extendPrompt(learning, [never]).append).toContain('\nmachine learning\n')
    const code = { ...plain('```\nmachine learning\n```\n'), code: true }
    expect(extendPrompt(learning, [code]).append).toContain('\n```\nML\n```\n')
  })

  test('gives a term of the prompt that stands in a source an entry of its own', () => {
    const { append, rosetta } = extendPrompt(learning, [plain('They call it ML, not HTML or MLA, in § 5.')])
    const [word, sign] = parseRosetta(rosetta).entries.slice(2)
    expect(word).toEqual({ term: 'MLB', expansion: 'ML' })
    expect(sign).toMatchObject({ expansion: '§' })
    expect(append).toContain(`\nThey call it MLB, not HTML or MLA, in ${sign!.term} 5.\n`)
    expect(readFrames(append, rosetta)).toEqual(['They call it ML, not HTML or MLA, in § 5.'])
  })

  test('brings the instruction if the prompt has none, and only then', () => {
    const prompt = composePrompt([plain('One.'), plain('Two.')])
    const { append, rosetta } = extendPrompt(prompt, PACKS.slice(0, 2))
    expect(append.startsWith(`${INSTRUCTION}${rosetta}\n\n<pack-2 `)).toBe(true)
    expect(extendPrompt(composePrompt(PACKS.slice(2)), PACKS.slice(0, 2)).append).not.toContain('Read')
  })

  test('is the plain sources in frames where nothing pays', () => {
    const prompt = composePrompt([plain('One.'), plain('Two.')])
    expect(extendPrompt(prompt, [plain('Three.', 'three')])).toMatchObject({
      append: '<pack-2 title="three">\nThree.\n</pack-2>\n',
      rosetta: '[DECODE]',
      terms: [],
    })
    expect(extendPrompt(prompt, [])).toMatchObject({ append: '', tokens: 0 })
    expect(extendPrompt(prompt, PACKS.slice(0, 1), { scheme: 'none' }).append).toContain(TEXTS[0])
  })

  test('begins on a line of its own after a prompt of a single pack', () => {
    const prompt = composePrompt([plain('No line end')])
    const { append } = extendPrompt(prompt, [plain('Two.')])
    expect(append).toBe('\n<pack title="plain">\nTwo.\n</pack>\n')
    expect(extendPrompt({ text: '', rosetta: '[DECODE]' }, [plain('Two.')]).append).toBe(append.slice(1))
  })

  test('can itself be extended, again and again', () => {
    let prompt: PriorPrompt = composePrompt(PACKS.slice(0, 1))
    const texts = [...TEXTS.slice(1), 'ML in § 5 — and more.', TEXTS[0]!]
    for (const [index, text] of texts.entries()) {
      prompt = extend(prompt, [makeDocument(text, `added-${index}`, 'max-1')])
    }
    expect(readFrames(prompt.text, prompt.rosetta)).toEqual(texts)
    expect(decode(prompt.text, prompt.rosetta)).toContain(TEXTS[0])
  })
})

describe('the count', () => {
  test('of all composed anew is a little less than that of the extended prompt', () => {
    const prompt = composePrompt(PACKS.slice(0, 2))
    const added = extendPrompt(prompt, PACKS.slice(2))
    expect(added.anew).toBeLessThanOrEqual(prompt.tokens + added.tokens)
    // It has the frames of both, so it is near the composed prompt of all.
    expect(Math.abs(added.anew - composePrompt(PACKS).tokens)).toBeLessThan(0.05 * added.anew)
    const again = extendPrompt(extend(prompt, PACKS.slice(2, 3)), PACKS.slice(3))
    expect(Math.abs(again.anew - added.anew)).toBeLessThan(0.05 * added.anew)
  })

  test('of all composed anew is that of the sources where nothing pays', () => {
    const prompt = composePrompt([plain('One.'), plain('Two.')])
    const frames = framePacks([plain(''), plain('')], ['One.', 'Two.'], undefined)
    const { append, anew } = extendPrompt(prompt, [plain('Three.')])
    expect(anew).toBe(countTokens(frames + append))
    expect(extendPrompt(prompt, [plain('Three.')], { scheme: 'none' }).anew).toBe(anew)
  })
})

describe('bad input', () => {
  test('over the budget of the whole text is refused, with what it takes', () => {
    const prompt = composePrompt(PACKS.slice(0, 2))
    const { tokens, append } = extendPrompt(prompt, PACKS.slice(2))
    const budget = prompt.tokens + tokens
    expect(extendPrompt(prompt, PACKS.slice(2), { budget }).append).toBe(append)
    expect(() => extendPrompt(prompt, PACKS.slice(2), { budget: budget - 1 })).toThrow(
      expect.objectContaining({
        code: 'over_budget',
        tokens: budget,
        shares: [
          { slug: 'text-2', tokens: expect.any(Number) },
          { slug: 'text-3', tokens: expect.any(Number) },
        ],
      }),
    )
  })

  test('of packs names the pack, and a header that cannot be read the error in it', () => {
    expect(() => extendPrompt(learning, [PACKS[0]!, { content: 'x', rosetta: 'x' }])).toThrow(
      expect.objectContaining({ code: 'undecodable_pack', pack: { index: 1, slug: undefined } }),
    )
    expect(() => extendPrompt({ text: '', rosetta: 'x' }, PACKS)).toThrow(CodecError)
  })

  test('of a source with every symbol and a term of the prompt is refused', () => {
    const all = Array.from({ length: 0xffff - 0xa1 }, (_, at) => String.fromCharCode(0xa1 + at)).join('')
    const ascii = String.fromCharCode(...Array.from({ length: 94 }, (_, at) => 33 + at))
    expect(() => extendPrompt(learning, [plain(`${all}${SYMBOLS.join('')}${ascii} § 5`)])).toThrow(
      expect.objectContaining({ code: 'term_collision' }) as CompressError,
    )
  })

  test('of a source that is no UTF-8 is written as it is', () => {
    const { append, rosetta } = extendPrompt(learning, [plain('ML \uD800')])
    expect(readFrames(append, rosetta)).toEqual(['ML \uD800'])
  })
})
