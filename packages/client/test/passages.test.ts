import { type PackPassage, type PassageOptions, passages } from '@packs/client/passages'
import { restore } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/compress'
import { buildPack, type Pack, parseSource } from '@packs/codec/pack'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { samplePack } from '../../test-kit/test/sign-pack.ts'
import { countRuns } from '../../test-kit/test/count-runs.ts'
import { examplePacks, readExample } from '../../test-kit/test/example-packs.ts'

const tokenizer = await loadTokenizer('o200k_base')

const makePack = (content: string): Pack => ({ ...samplePack, content, rosetta: '[DECODE]' })
const cut = (body: string, options?: PassageOptions): Promise<readonly PackPassage[]> =>
  passages(makePack(body), options)
const listTexts = (list: readonly PackPassage[]): string[] => list.map(({ text }) => text)
/** A text of about so many tokens. */
const write = (tokens: number): string => `${'word '.repeat(tokens - 2)}end.\n`

describe('a passage', () => {
  it('is a section, with its path and where it is in the body', async () => {
    const body = `# Guide\n\n${write(90)}\n## Setup\n\n${write(90)}`
    const start = body.indexOf('## Setup')
    expect((await cut(body))[1]).toEqual({
      pack: samplePack.slug,
      version: samplePack.version,
      pack_digest: samplePack.pack_digest,
      sections: ['setup'],
      path: ['Guide', 'Setup'],
      start,
      end: body.length,
      text: body.slice(start),
      links: {},
      tokens: tokenizer.countTokens(body.slice(start)),
    })
  })

  it('is decoded from a compressed pack', async () => {
    const { path, text } = readExample('payments-api-reference')
    const { source } = parseSource(text, { path })
    const { pack } = await buildPack(source!, { scheme: 'dense-2' })
    expect(pack!.rosetta).not.toBe('[DECODE]')
    const joined = listTexts(await passages(pack!)).join('')
    expect(restore({ ...pack!, content: joined, rosetta: '[DECODE]' })).toBe(source!.body)
  })

  it('joins small sections under the same heading before others', async () => {
    const body = `# A\n\n## One\n\n${write(30)}\n## Two\n\n${write(30)}\n# B\n\n## Three\n\n${write(30)}`
    expect((await cut(body, { max: 100, min: 50 })).map(({ sections, path }) => [sections, path])).toEqual([
      [['a', 'one', 'two'], ['A']],
      [['b', 'three'], ['B']],
    ])
  })

  it('has the common path of the sections that it joins', async () => {
    const body = `Intro.\n\n# A\n\n${write(10)}\n# B\n\n${write(10)}`
    expect(await cut(body)).toMatchObject([{ sections: ['~intro', 'a', 'b'], path: [] }])
  })

  it('keeps a heading with the long section below it', async () => {
    const body = `# Guide\n\n## Long\n\n${write(60)}\n${write(60)}`
    expect(await cut(body, { max: 80, min: 20 })).toMatchObject([
      { sections: ['guide', 'long'], path: ['Guide'], start: 0 },
      { sections: ['long'], path: ['Guide', 'Long'], text: write(60) },
    ])
  })
})

describe('a long section', () => {
  it('is cut at paragraphs', async () => {
    const paragraphs = [write(40), write(40), write(40), write(40)].map((text) => `${text}\n`)
    expect(listTexts(await cut(paragraphs.join(''), { max: 90, min: 0 }))).toEqual([
      paragraphs.slice(0, 2).join(''),
      paragraphs.slice(2).join(''),
    ])
  })

  it('is not cut at blank lines in code', async () => {
    const code = `\`\`\`sh\n${write(20)}\n${write(20)}\`\`\`\n\n`
    const list = await cut(`${write(30)}\n${code}${write(30)}`, { max: 60, min: 0 })
    expect(listTexts(list)).toEqual([`${write(30)}\n`, code, write(30)])
  })

  it('is cut at lines where a paragraph is too long', async () => {
    const rows = ['| a | b |\n', '|---|---|\n', ...Array<string>(60).fill('| first | second |\n')]
    const list = await cut(rows.join(''), { max: 100, min: 0 })
    expect(list.length).toBeGreaterThan(2)
    for (const { text } of list) expect(text).toMatch(/^\|.*\|\n$/s)
  })

  it('is cut at sentences where a line is too long, and at words where a sentence is', async () => {
    const sentences = ['One two three four. ', 'Five six seven eight. ', 'Nine ten eleven.\n']
    expect(listTexts(await cut(sentences.join(''), { max: 6, min: 0 }))).toEqual(sentences)
    expect(listTexts(await cut('One two three four five\n', { max: 4, min: 0 }))).toEqual([
      'One two three ',
      'four five\n',
    ])
  })

  it('gives a last part that is too small some of the one before', async () => {
    const paragraphs = Array.from({ length: 5 }, () => `${write(20)}\n`)
    const list = await cut(paragraphs.join(''), { max: 85, min: 30 })
    expect(listTexts(list)).toEqual([paragraphs.slice(0, 3).join(''), paragraphs.slice(3).join('')])
  })

  it('is never cut within a surrogate pair', async () => {
    const list = await cut('👩‍🚀'.repeat(50), { max: 1, min: 0 })
    expect(list.length).toBeGreaterThan(100)
    for (const { text } of list) expect(text.isWellFormed()).toBe(true)
  })
})

describe('an overlap', () => {
  it('begins at a paragraph of the passage before', async () => {
    const [one, two, three] = [`${write(40)}\n`, `${write(15)}\n`, write(50)]
    const list = await cut(one + two + three, { max: 80, min: 0, overlap: 20 })
    expect(listTexts(list)).toEqual([one + two, two + three])
    expect(list[1]).toMatchObject({ start: one.length, tokens: tokenizer.countTokens(two + three) })
  })

  it('begins at a line if the paragraph is too long, and is left out if the line is', async () => {
    const list = await cut(`${write(30)}${write(10)}\n${write(50)}`, { max: 80, min: 0, overlap: 20 })
    expect(list[1]!.text).toBe(`${write(10)}\n${write(50)}`)
    const none = await cut(`${write(50)}\n${write(50)}`, { max: 80, min: 0, overlap: 20 })
    expect(none[1]!.text).toBe(write(50))
  })

  it('does not add to the sections of a passage', async () => {
    const list = await cut(`# A\n\n${write(60)}\nLast.\n\n# B\n\n${write(60)}`, { max: 90, overlap: 10 })
    expect(list[1]).toMatchObject({ sections: ['b'], path: ['B'], text: `Last.\n\n# B\n\n${write(60)}` })
  })
})

describe('options', () => {
  it.each([
    [{ max: 0 }, 'max must be a whole number, 1 or more'],
    [{ max: 2.5 }, 'max must be a whole number, 1 or more'],
    [{ max: 100, min: 101 }, 'min must be a whole number, from 0 to 100'],
    [{ max: 100, overlap: 51 }, 'overlap must be a whole number, from 0 to 50'],
    [{ overlap: -1 }, 'overlap must be a whole number, from 0 to 200'],
    [{ max: '400' as never }, 'max must be a whole number, 1 or more'],
  ])('%j are invalid', async (options, message) => {
    await expect(cut('text', options)).rejects.toMatchObject({
      name: 'ClientError',
      code: 'invalid_option',
      message,
    })
  })

  it('may name another tokenizer, which is known', async () => {
    const body = write(90)
    const [passage] = await cut(body, { tokenizer: 'cl100k_base' })
    expect(passage!.tokens).toBe((await loadTokenizer('cl100k_base')).countTokens(body))
    await expect(cut(body, { tokenizer: 'p50k_base' as never })).rejects.toMatchObject({
      name: 'ClientError',
      code: 'unknown_tokenizer',
    })
  })
})

it('gives no passage of an empty body', async () => {
  expect(await cut('')).toEqual([])
})

describe('whatever the body and the options are', () => {
  const limits = fc
    .record({ max: fc.integer({ min: 1, max: 120 }), min: fc.nat(120), overlap: fc.nat(60) })
    .map(({ max, min, overlap }) => {
      return { max, min: Math.min(min, max), overlap: Math.min(overlap, Math.floor(max / 2)) }
    })
  // prettier-ignore
  const piece = fc.constantFrom(
    '# A\n', '### B\n\n', 'C\n===\n', '```\n', '| a | b |\n|---|---|\n', '\n', '\r\n', '\r', ' ', 'word ',
    'A sentence. ', '- item\n', '    code\n', '<pre>\n', '漢字。', '👩‍🚀', '\ud83d', '\ude80', '>', '====', 'ﷺ',
  )
  const hostile = fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 20 })), { maxLength: 150 })

  /** What holds for every list of passages. */
  function check(body: string, list: readonly PackPassage[], { max, overlap = 0 }: PassageOptions): void {
    let end = 0
    const wrong: PackPassage[] = []
    for (const passage of list) {
      const isRight =
        passage.text === body.slice(passage.start, passage.end) &&
        passage.tokens === tokenizer.countTokens(passage.text) &&
        (passage.tokens <= max! || Array.from(passage.text).length === 1) &&
        passage.end > end &&
        tokenizer.countTokens(body.slice(passage.start, end)) <= overlap &&
        passage.sections.length > 0
      if (!isRight) wrong.push(passage)
      end = passage.end
    }
    expect([wrong, end]).toEqual([[], body.length])
    const starts = list.map(({ start }, index) => Math.max(start, list[index - 1]?.end ?? 0))
    expect(list.map((passage, index) => body.slice(starts[index], passage.end)).join('')).toBe(body)
    expect(overlap > 0 || listTexts(list).join('') === body).toBe(true)
  }

  it('passages of hostile texts are the body, within the limits', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, limits, async (pieces, options) => {
        const body = pieces.join('')
        check(body, await cut(body, options), options)
      }),
      { numRuns: countRuns(200) },
    )
  })

  it.each(examplePacks)('passages of $path too', async ({ path, text }) => {
    const { body } = parseSource(text, { path }).source!
    for (const options of [
      { max: 400, overlap: 60 },
      { max: 60, min: 20 },
    ])
      check(body, await cut(body, options), options)
    const beginning = body.slice(0, 1500)
    check(beginning, await cut(beginning, { max: 3 }), { max: 3 })
    const list = await cut(body, { max: 400 })
    check(body, list, { max: 400 })
    expect(await cut(body)).toEqual(list)
    const isAlone = list.filter(({ tokens }, index) => {
      const neighbors = [list[index - 1], list[index + 1]].filter((passage) => passage !== undefined)
      return tokens < 80 && neighbors.some((passage) => passage.tokens + tokens < 400)
    })
    expect(isAlone).toEqual([])
  })
})
