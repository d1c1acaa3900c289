import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { decode, parseRosetta } from '../../src/index.ts'
import { framePacks, INSTRUCTION } from '../../src/prompt/frame-packs.ts'
import {
  type CompressError,
  composePrompt,
  extendPrompt,
  type PriorPrompt,
  type PromptDocument,
} from '../../src/prompt-composer/index.ts'
import { makePrior, readFrames } from './read-frames.ts'
import { makeDocument, writeText } from './sample-documents.ts'

const TEXTS = ['Alpha', 'Beta', 'Gamma', 'Delta'].map((name) => writeText(name, 12))
const PACKS = TEXTS.map((text, index) => makeDocument(text, `text-${index}`))
const plain = (content: string, slug = 'plain'): PromptDocument => ({ slug, content, rosetta: '[DECODE]' })
/** Enough letters that a few of another script do not make that script the prompt's. */
const LATIN = 'The quick brown fox jumps over the lazy dog. '.repeat(20)
const HEADER = '[DECODE] ML=machine learning|漢=the section on '
const learning = makePrior(`${INSTRUCTION}${HEADER}\n\n<pack>\n${LATIN}ML, 漢ML.\n</pack>\n`, HEADER)

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
    expect(append).toBe('<pack-2 title="plain">\nA talk: 漢ML.\n</pack-2>\n')
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
    const places = '# machine learning\n\n`machine learning`, "machine learning" and machine learning/AI\n'
    const readable = extendPrompt(learning, [plain(places)], { scheme: 'glossary-1' })
    expect(readable.append).toContain(
      '\n# machine learning\n\n`machine learning`, "ML" and machine learning/AI\n',
    )
    const never = { ...plain('machine learning'), glossary: [{ expansion: 'machine', never: true }] }
    expect(extendPrompt(learning, [never]).append).toContain('\nmachine learning\n')
    const code = { ...plain('```\nmachine learning\n```\n'), code: true }
    expect(extendPrompt(learning, [code]).append).toContain('\n```\nML\n```\n')
  })

  test('gives a term of the prompt that occurs in a source its own entry', () => {
    const source = 'They call it ML, not HTML or MLA, in 漢 5.'
    const { append, rosetta } = extendPrompt(learning, [plain(source)])
    const [word, letter] = parseRosetta(rosetta).entries.slice(2)
    // MLA is a word of the source, and readers know MLB and MLC.
    expect(word).toEqual({ term: 'MLD', expansion: 'ML' })
    expect(letter).toEqual({ term: expect.stringMatching(/^(?!漢)\p{Script=Han}$/u), expansion: '漢' })
    expect(append).toContain(`\nThey call it MLD, not HTML or MLA, in ${letter!.term} 5.\n`)
    expect(readFrames(append, rosetta)).toEqual([source])
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
    expect(extendPrompt(composePrompt([]), [plain('Two.')]).append).toBe(append.slice(1))
    expect(extendPrompt(prompt, []).text).toBe('No line end')
  })

  test('can itself be extended, again and again', () => {
    let prompt: PriorPrompt = composePrompt(PACKS.slice(0, 1))
    const texts = [...TEXTS.slice(1), 'ML in § 5 — and more.', `${TEXTS[0]!}.`]
    for (const [index, text] of texts.entries()) {
      prompt = extendPrompt(prompt, [makeDocument(text, `added-${index}`, 'max-1')])
    }
    expect(readFrames(prompt.text, prompt.rosetta)).toEqual(texts)
    expect(decode(prompt.text, prompt.rosetta)).toContain(TEXTS[0])
  })
})

describe('the count', () => {
  test('of all composed again is a little less than that of the extended prompt', () => {
    const prompt = composePrompt(PACKS.slice(0, 2))
    const added = extendPrompt(prompt, PACKS.slice(2))
    expect(added.recomposed).toBeLessThanOrEqual(prompt.tokens + added.tokens)
    // It has the frames of both, so it is near the composed prompt of all.
    expect(Math.abs(added.recomposed - composePrompt(PACKS).tokens)).toBeLessThan(0.05 * added.recomposed)
    const again = extendPrompt(extendPrompt(prompt, PACKS.slice(2, 3)), PACKS.slice(3))
    expect(Math.abs(again.recomposed - added.recomposed)).toBeLessThan(0.05 * added.recomposed)
  })

  test('of all composed again is that of the sources where nothing pays', () => {
    const prompt = composePrompt([plain('One.'), plain('Two.')])
    const frames = framePacks([plain(''), plain('')], ['One.', 'Two.'], undefined)
    const { append, recomposed } = extendPrompt(prompt, [plain('Three.')])
    expect(recomposed).toBe(countTokens(frames + append))
    expect(extendPrompt(prompt, [plain('Three.')], { scheme: 'none' }).recomposed).toBe(recomposed)
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

  test('of packs names the pack', () => {
    expect(() => extendPrompt(learning, [PACKS[0]!, { content: 'x', rosetta: 'x' }])).toThrow(
      expect.objectContaining({ code: 'undecodable_pack', pack: { index: 1, slug: undefined } }),
    )
  })

  test('of a source with every script and a term of the prompt is refused', () => {
    const all = '漢字かな한글ไทย'.repeat(30)
    expect(() => extendPrompt(learning, [plain(`${all} 漢 5`)])).toThrow(
      expect.objectContaining({ code: 'term_collision' }) as CompressError,
    )
  })

  test('of a source that is no UTF-8 is written as it is', () => {
    const { append, rosetta } = extendPrompt(learning, [plain('ML \uD800')])
    expect(readFrames(append, rosetta)).toEqual(['ML \uD800'])
  })
})

describe('a pack that is in the prompt', () => {
  const prompt = composePrompt(PACKS.slice(0, 2))

  test('is not added again, and named', () => {
    const known = { ...PACKS[1]!, slug: 'other-name' }
    const added = extendPrompt(prompt, [known, PACKS[2]!, PACKS[0]!])
    expect(added.already).toEqual([
      { index: 0, slug: 'other-name' },
      { index: 2, slug: 'text-0' },
    ])
    expect(added.append).toBe(extendPrompt(prompt, [PACKS[2]!]).append)
    expect(readFrames(added.text, added.rosetta)).toEqual(TEXTS.slice(0, 3))
  })

  test('costs nothing', () => {
    for (const one of [prompt, composePrompt([plain('No line end')])]) {
      const packs = one === prompt ? PACKS.slice(0, 2) : [plain('No line end')]
      expect(extendPrompt(one, packs)).toMatchObject({
        text: one.text,
        append: '',
        rosetta: one.rosetta,
        state: one.state,
        tokens: 0,
      })
    }
  })

  test('is known after it was added, and when it is named twice', () => {
    const first = extendPrompt(prompt, [PACKS[2]!, PACKS[2]!])
    expect(first.already).toEqual([{ index: 1, slug: 'text-2' }])
    expect(extendPrompt(first, PACKS.slice(0, 3)).already).toHaveLength(3)
  })
})

describe('text, header and state', () => {
  const prompt = composePrompt(PACKS.slice(0, 2))
  const added = extendPrompt(prompt, PACKS.slice(2, 3), { worthHeader: { percent: 0, tokens: 0 } })

  test('are those of the whole, so the result can be passed in', () => {
    expect(added.text).toBe(prompt.text + added.append)
    const sent = JSON.parse(JSON.stringify(added)) as PriorPrompt
    const again = extendPrompt(sent, PACKS.slice(3))
    expect(again).toMatchObject({ scheme: prompt.scheme, tokenizer: prompt.tokenizer })
    expect(readFrames(again.text, again.rosetta)).toEqual(TEXTS)
  })

  test.each([
    ['a new text with the old header', { ...prompt, text: added.text }],
    ['a new header with the old text', { ...prompt, rosetta: added.rosetta }],
    ['an old state', { ...added, state: prompt.state }],
    ['a changed text', { ...prompt, text: `${prompt.text}\n` }],
    ['a state with another body', { ...prompt, state: `${prompt.state}.0` }],
    ['a state of another version', { ...prompt, state: prompt.state.replace('1.', '2.') }],
    ['no state', { text: prompt.text, rosetta: prompt.rosetta } as PriorPrompt],
    ['no text', { ...prompt, text: undefined } as unknown as PriorPrompt],
  ])('do not fit: %s', (_, wrong) => {
    expect(() => extendPrompt(wrong, PACKS.slice(3))).toThrow(
      expect.objectContaining({ name: 'CompressError', code: 'prompt_mismatch' }),
    )
  })
})

describe('terms that nobody misreads', () => {
  const chinese = '这本书介绍数据库索引的工作方式。'.repeat(20)
  const repeated = 'A kubelet restarts the failed container of a pod, and reports the failed container.\n'

  test('are of no script that the old or the new sources are written in', () => {
    const prompt = composePrompt([plain(chinese), plain(repeated)], { scheme: 'none' })
    const { append, terms } = extendPrompt(prompt, [plain(`${repeated.repeat(15)}!`)], { scheme: 'dense-1' })
    expect(append).toContain('[DECODE] ')
    for (const { term } of terms) expect(term).not.toMatch(/\p{Script=Han}/u)
    const second = extendPrompt(composePrompt([plain(repeated)], { scheme: 'none' }), [plain(chinese)], {
      scheme: 'dense-1',
    })
    for (const { term } of second.terms) expect(term).not.toMatch(/\p{Script=Han}/u)
  })

  test('are not used again where a new source makes them misleading', () => {
    const body = `${LATIN}A talk: the section on machine learning.`
    expect(extendPrompt(learning, [plain(body)]).append).toContain('A talk: 漢ML.')
    expect(extendPrompt(learning, [plain(`${body} An ml model.`)]).append).toContain('漢machine learning.')
    expect(extendPrompt(learning, [plain(body), plain(chinese)]).append).toContain('the section on ML.')
  })
})

test('new entries must save what is worth a header', () => {
  const prompt = composePrompt(PACKS.slice(0, 2))
  const packs = PACKS.slice(2)
  const cheap = extendPrompt(prompt, packs, { worthHeader: { percent: 0, tokens: 0 } })
  const plainly = extendPrompt(prompt, packs, { worthHeader: { percent: 100, tokens: 0 } })
  expect(cheap.terms.length).toBeGreaterThan(prompt.terms.length)
  expect(plainly.terms).toEqual(prompt.terms.map(({ term, expansion }) => ({ term, expansion })))
  const saved = plainly.tokens - cheap.tokens
  const at = (tokens: number): string =>
    extendPrompt(prompt, packs, { worthHeader: { percent: 0, tokens } }).append
  expect(at(saved)).toBe(cheap.append)
  expect(at(saved + 1)).toBe(plainly.append)
})
