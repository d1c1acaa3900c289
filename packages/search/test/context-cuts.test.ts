import { loadTokenizer } from '@packs/codec/compress'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countRuns } from '../../test-kit/test/count-runs.ts'
import { createComposer } from './make-store.ts'

const word = fc.constantFrom('walnut', 'garden', 'deploy', 'key', 'timeout', '内存', 'キャッシュ', '🌰', 'ё')
const words = fc.array(word, { minLength: 1, maxLength: 14 }).map((list) => list.join(' '))
const lines = fc.array(words, { minLength: 1, maxLength: 12 })

type Kind = 'sentences' | 'list' | 'fence' | 'tildes' | 'table' | 'quote' | 'indented' | 'nested'
const drawBlock = fc.tuple(
  fc.constantFrom<Kind>('sentences', 'list', 'fence', 'tildes', 'table', 'quote', 'indented', 'nested'),
  lines,
)

/** Writes a block whose lines and sentences are all different. */
function writeBlock([kind, texts]: readonly [Kind, readonly string[]], at: number): string {
  const marked = texts.map((text, line) => `B${at}x${line} ${text} e${at}x${line}`)
  const sentences = marked.map((text) => `${text}.`)
  switch (kind) {
    case 'sentences':
      return sentences.join(' ')
    case 'list':
      return sentences.map((text) => `- ${text}`).join('\n')
    case 'fence':
      return `\`\`\`sh\n${marked.join('\n\n# walnut\n')}\n\`\`\``
    case 'tildes':
      return `~~~\n${marked.join('\n```\n')}\n~~~`
    case 'indented':
      return marked.map((text) => `    ${text}`).join('\n')
    case 'quote':
      return sentences.map((text) => `> ${text}`).join('\n')
    case 'nested':
      return `- B${at} deploy.\n\n  \`\`\`\n  ${marked.join('\n  ')}\n  \`\`\`\n- e${at} walnut.`
    case 'table':
      return `| a | b |\n|---|---|\n${marked.map((text) => `| ${text} | key |`).join('\n')}`
  }
}

it.each(['o200k_base', 'cl100k_base'] as const)(
  'a cut has only lines and parts of lines of the text, and every answer fits, in %s',
  async (name) => {
    const tokenizer = await loadTokenizer(name)
    const count = (text: string): number => tokenizer.countTokens(text)
    let cuts = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawBlock, { minLength: 1, maxLength: 16 }),
        words,
        fc.integer({ min: 200, max: 700 }),
        async (drawn, question, budget) => {
          const body = `# Walnut\n\n${drawn.map(writeBlock).join('\n\n')}\n`
          const compose = createComposer([
            { slug: 'long', title: 'Long', body },
            { slug: 'other', title: 'Other', body: '# Other\n\nA walnut.\n' },
          ])
          const options = { packs: ['long'], measure: count }
          const { text, tokens, needed, passages } = await compose(`walnut ${question}`, {
            ...options,
            budget,
          })
          expect(tokens).toBe(count(text))
          expect(tokens).toBeLessThanOrEqual(budget)
          if (text.includes('[…]')) cuts += 1
          const isLine = (line: string): boolean => line === '' || body.includes(line)
          for (const part of passages.flatMap((passage) => passage.text.split(/\n|\[…\]/)))
            expect([part, isLine(part.trim()) || part === 'Long']).toEqual([part, true])
          const fences = text.match(/^ *(?:```|~~~)/gm)?.map((mark) => mark.trim()) ?? []
          expect(fences.filter((mark) => mark === '~~~').length % 2).toBe(0)
          expect(needed === null).toBe(text !== '')
          if (needed === null) return
          expect(needed).toBeGreaterThan(budget)
          const enough = await compose(`walnut ${question}`, { ...options, budget: needed })
          expect([enough.text !== '', count(enough.text) <= needed]).toEqual([true, true])
        },
      ),
      { numRuns: countRuns(60) },
    )
    expect(cuts).toBeGreaterThan(10)
  },
)

it('what the smallest passage takes is that of a part, not of the whole section', async () => {
  const tokenizer = await loadTokenizer('o200k_base')
  const measure = (text: string): number => tokenizer.countTokens(text)
  const code = Array.from({ length: 12 }, (_, at) => `\`\`\`\n${`walnut ${at} `.repeat(100)}\n\`\`\``)
  const compose = createComposer([
    { slug: 'code', title: 'Code', body: `# Code\n\n${code.join('\n\n')}\n` },
    { slug: 'other', title: 'Other', body: '# Other\n\nA walnut.\n' },
  ])
  const { needed } = await compose('walnut', { packs: ['code'], budget: 20, measure })
  expect(needed).toBeGreaterThan(20)
  expect(needed).toBeLessThan(80)
})

it('a long section whose heading alone matches is read from its start', async () => {
  const body = `# Guide\n\n## Walnut\n\nFirst part.\n\n${'Then something else follows. '.repeat(80)}\n`
  const compose = createComposer([
    { slug: 'guide', title: 'Guide', body },
    { slug: 'other', title: 'Other', body: '# Other\n\nA garden.\n' },
  ])
  const { text } = await compose('walnut', { budget: 300 })
  expect(text).toContain('## Walnut\n\nFirst part.')
  expect(text).toContain('[…]')
})

it('a part that takes more than its share of the section is cut again', async () => {
  const dense = Array.from({ length: 8 }, () => `${'walnut 内存 '.repeat(8)}.`).join('\n\n')
  const thin = Array.from({ length: 80 }, () => 'and so on and so on').join('\n\n')
  const measure = (text: string): number =>
    Math.ceil(Array.from(text).reduce((sum, letter) => sum + (letter > '\u2fff' ? 2.5 : 0.2), 0))
  const compose = createComposer([{ slug: 'long', title: 'Long', body: `# Long\n\n${dense}\n\n${thin}\n` }])
  const { text, tokens } = await compose('walnut 内存', { budget: 400, measure })
  expect(text.match(/walnut 内存 \./g)!.length).toBeGreaterThan(1)
  expect(tokens).toBeLessThanOrEqual(400)
})

const HOSTILE = [
  ['<', '＜', '‹', '〈', '﹤', '&lt;', '&LT'],
  ['', '/', ' / ', '\\/', '\u200b/', '\u202e', '\ufe0f'],
] as const
/** Letters of the name, each with others that look like it in compatibility form or in Cyrillic. */
const LETTERS = Array.from('doc', (letter) => {
  const cyrillic = { d: 'ԁ', o: 'о', c: 'с' }[letter]!
  const code = letter.charCodeAt(0)
  const wide = String.fromCharCode(code + 0xfee0)
  const bold = String.fromCodePoint(0x1d41a + code - 97)
  return [letter, letter.toUpperCase(), cyrillic, wide, bold, `${letter}\u0301`]
})
const drawTag = fc
  .tuple(
    ...HOSTILE.map((list) => fc.constantFrom(...list)),
    ...LETTERS.map((list) => fc.constantFrom(...list)),
    fc.constantFrom('', '-2', ' - 2', '-\u200b２', '-3'),
    fc.constantFrom('>', ' pack="x">', '', '\n>'),
  )
  .map((parts) => parts.join(''))

it('no text, title or heading closes or opens a passage, in any spelling', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(drawTag, { minLength: 1, maxLength: 6 }), drawTag, async (tags, title) => {
      const heading = `" ${tags[0]!.replaceAll('\n', ' ')} \u202e\u2066'\t\u0007x="`
      const body = `# ${heading}\n\nThe walnut ${tags.join(' walnut ')}\n\n## B\n\nAnother walnut.\n`
      const { text, passages } = await createComposer([{ slug: 'hostile', title, body }])('walnut')
      const [, tag] = /^<([a-z\d-]+) /m.exec(text)!
      const plain = text.normalize('NFKC').replaceAll('\u200b', '')
      expect(plain.split(`</${tag}>`)).toHaveLength(passages.length + 1)
      expect(plain.split(`<${tag} `)).toHaveLength(passages.length + 1)
      for (const line of text.split('\n').filter((one) => one.startsWith(`<${tag} `)))
        expect(line).toMatch(/^<[a-z\d-]+ id="hostile#[^"<>&]*">$/u)
      expect(tag).not.toBe('doc')
    }),
    { numRuns: countRuns(60) },
  )
})

it('halves of surrogate pairs become the character that is sent for them', async () => {
  const body = '# A\n\nA walnut \ud83c and \udf30.\n'
  const { text } = await createComposer([{ slug: 'a', title: 'A \ud83c', body }])('walnut \ud83c')
  expect(text).toContain('A walnut \ufffd and \ufffd.')
  expect(text.isWellFormed()).toBe(true)
})
