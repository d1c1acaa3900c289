import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compress } from '../../src/compress/compress.ts'
import { loadTokenizer } from '../../src/tokens/load-tokenizer.ts'
import '../load-o200k-base.ts'
import { decode } from '../../src/index.ts'
import { cutPreview, type Preview } from '../../src/preview/cut-preview.ts'
import { nastyMarkdown } from '../compress/nasty-markdown.ts'
import { readCorpus } from '../tokens/corpus.ts'
import { countTokens } from '../tokens/count-by-library.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

const tokenizer = await loadTokenizer('o200k_base')

const cutPlain = (body: string): Preview =>
  cutPreview({ content: body, rosetta: '[DECODE]', body, tokenizer })

/** Asserts the rules of every preview, counted with the tokenizer's library. */
const expectSound = (preview: Preview, content: string, rosetta: string, body: string): void => {
  expect(content.startsWith(preview.content)).toBe(true)
  expect(body.startsWith(decode(preview.content, rosetta))).toBe(true)
  expect(preview.tokens).toBe(countTokens(preview.content))
  expect(preview.tokens).toBeLessThanOrEqual(Math.max(Math.floor(0.2 * countTokens(content)), 40))
  if (preview.tokens > 0) expect(body.slice(decode(preview.content, rosetta).length).trim()).not.toBe('')
  expect(preview.kind === 'none').toBe(preview.content === '')
}

/** Extends `shown` to five times its tokens by one paragraph. */
const withRest = (shown: string): string => {
  const tokens = countTokens(shown)
  let body = `${shown}\n\nrest`
  while (countTokens(body) < 5 * tokens + 5) body += ' more'
  return body
}

test.each(['', 'a', 'word\n\n\n\n', '\n\n'])('is empty without two words: %j', (body) => {
  expect(cutPlain(body)).toEqual({ content: '', tokens: 0, kind: 'none' })
})

test.each([
  ['its first sentence', 'A key opens a lock. It can be lost.\n', 'A key opens a lock.', 'sentence'],
  [
    'with the heading before',
    '# Keys\n\nA key opens a lock. It can be lost.',
    '# Keys\n\nA key opens a lock.',
    'sentence',
  ],
  [
    'a paragraph of one sentence',
    'A key opens a lock.\n\nIt can be lost.',
    'A key opens a lock.',
    'sentence',
  ],
  ['half of its only sentence', 'A key opens a lock, not a door.\n', 'A key opens a', 'word'],
  ['half of a text without paragraphs', '# One\n\n## Two\n\n## Three\n', '# One', 'block'],
  ['an item of a list', '- A key opens.\n- A lock closes.\n', '- A key opens.', 'sentence'],
])('a short text shows %s', (_name, body, content, kind) => {
  const preview = cutPlain(body)
  expectSound(preview, body, '[DECODE]', body)
  expect(preview).toMatchObject({ content, kind })
})

test('a long sentence shows 40 tokens of its words', () => {
  expect(cutPlain(`${'word '.repeat(100).trim()}. Another.`)).toMatchObject({ tokens: 40, kind: 'word' })
  expect(cutPlain('word '.repeat(500))).toMatchObject({ tokens: 100, kind: 'word' })
})

test('a header written to deceive does not make a short preview wrong', () => {
  const body = '中 and some more. Text.'
  expect(cutPreview({ content: body, rosetta: '[DECODE] 中=文', body, tokenizer }).content).toBe('')
})

test('a block is chosen if it reaches three fifths of the allowance', () => {
  const shown = '# Title\n\nSome words of text, and some more of them.'
  expect(cutPlain(withRest(shown))).toMatchObject({ content: shown, kind: 'block' })
})

test('a title before one long list is not the whole preview', () => {
  const { content, kind } = cutPlain(`# Title\n\n${'- an item of the list\n'.repeat(50)}`)
  expect(kind).toBe('item')
  expect(content).toMatch(/^# Title\n\n(- an item of the list\n){8,}- an item of the list$/)
})

test('no term is cut, and no white space inside an expansion', () => {
  const body = `${'alpha beta gamma '.repeat(30)}`.trim()
  const content = body.replaceAll('alpha beta', 'AB')
  const rosetta = '[DECODE] AB=alpha beta'
  const preview = cutPreview({ content, rosetta, body, tokenizer })
  expectSound(preview, content, rosetta, body)
  expect(preview.content).toMatch(/^(AB gamma )+(AB|AB gamma)$/)
})

test('a term across the end of a block: the cut is after it', () => {
  const shown = 'Some words of text, and some more of them, end.'
  const body = withRest(shown)
  const content = body.replace('end.\n\n', '§')
  const rosetta = '[DECODE] §=end.\\n\\n'
  const preview = cutPreview({ content, rosetta, body, tokenizer })
  expectSound(preview, content, rosetta, body)
  expect(preview.content).toBe('Some words of text, and some more of them, §')
})

test('a term that extends into the next block: the cut is elsewhere', () => {
  const shown = 'Some words of text, and some more of them, end.'
  const body = withRest(shown)
  const content = body.replace('end.\n\nrest', '§')
  const preview = cutPreview({ content, rosetta: '[DECODE] §=end.\\n\\nrest', body, tokenizer })
  expect(preview.kind).toBe('word')
  expect(preview.content).toMatch(/^Some words of text, and some more of them, §( more)+$/)
})

test.each([
  ['Chinese', '汉字信息处理技术，'.repeat(60)],
  ['Thai', 'ที่นี่น้ำใจ กำลังดี '.repeat(60)],
  ['emoji with joiners', '👩‍👩‍👧‍👦 👍🏽 🇩🇪 '.repeat(60)],
  ['combining marks', 'e\u0301a\u0308 n\u0303 '.repeat(100)],
  ['CRLF', 'one line of words\r\n'.repeat(60)],
  ['Devanagari', 'नमस्ते दुनिया '.repeat(60)],
  ['Korean', '안녕하세요 세계 '.repeat(60)],
])('no character is cut: %s', (_name, body) => {
  const { content } = cutPlain(body)
  expect(content).not.toBe('')
  const starts = Array.from(new Intl.Segmenter().segment(body), ({ index }) => index)
  expect(starts).toContain(content.length)
})

test.each([
  ['letters without a space', 'a'.repeat(300_000)],
  ['characters without a space', '汉字'.repeat(150_000)],
  ['blank lines', '\n'.repeat(300_000)],
  ['brackets', '['.repeat(200_000)],
  ['links that are none', '[a](b '.repeat(50_000)],
  ['emphasis that is none', '*a _b '.repeat(50_000)],
  ['quotes in quotes', `${'>'.repeat(200_000)}a`],
  ['lists in lists', `${'- '.repeat(100_000)}a`],
  ['backticks', Array.from({ length: 800 }, (_, index) => '`'.repeat(index)).join(' ')],
  ['one paragraph', 'Some words of a sentence. '.repeat(40_000)],
  ['one list', '- some words of an item\n'.repeat(40_000)],
])('stays bounded: %s', (_name, body) => {
  // Not counted with the tokenizer's library, which is quadratic here.
  const { content, tokens } = cutPlain(body)
  expect(body.startsWith(content)).toBe(true)
  expect(tokens).toBeLessThanOrEqual(Math.max(tokenizer.countTokens(body) / 5, 40))
})

test('a header written to deceive does not make it slow or wrong', () => {
  const body = '中 '.repeat(3_000)
  const content = body
  const preview = cutPreview({ content, rosetta: '[DECODE] 中=文', body, tokenizer })
  expect(preview.content).toBe('')
})

test('is legal for every text and scheme', () => {
  fc.assert(
    fc.property(nastyMarkdown, fc.constantFrom('glossary-1', 'dense-1', 'none'), (body, scheme) => {
      const { content, rosetta } = compress(body, { scheme })
      expectSound(cutPreview({ content, rosetta, body, tokenizer }), content, rosetta, body)
    }),
    { numRuns: countRuns(50) },
  )
})

test('uses three fifths of the allowance on 95 % of real documents', () => {
  const previews = readCorpus().map((body) => {
    const preview = cutPlain(body)
    expectSound(preview, body, '[DECODE]', body)
    return preview.tokens / Math.floor(0.2 * countTokens(body))
  })
  const good = previews.filter((share) => share >= 0.6).length
  expect(good / previews.length).toBeGreaterThanOrEqual(0.95)
})
