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
  const total = countTokens(content)
  expect(preview.tokens).toBeLessThanOrEqual(Math.min(Math.max(Math.floor(0.2 * total), 40), total / 2))
  expect(decode(preview.content, rosetta)).not.toMatch(/(?:^|\n)#{1,6} [^\n]*$|[^:][:：][*_]*$/)
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
  [
    'its first sentence',
    'A key opens a lock. It can be lost, or be stolen.\n',
    'A key opens a lock.',
    'sentence',
  ],
  [
    'with the heading before',
    '# Keys\n\nA key opens a lock. It can be lost, and also be stolen.',
    '# Keys\n\nA key opens a lock.',
    'sentence',
  ],
  [
    'a paragraph of one sentence',
    'A key opens a lock.\n\nIt can be lost, or be stolen.',
    'A key opens a lock.',
    'sentence',
  ],
  ['at most half', 'A key opens a lock. It can be lost.\n', 'A key opens a', 'word'],
  ['half of its only sentence', 'A key opens a lock, not a door.\n', 'A key opens a', 'word'],
  ['nothing of headings alone', '# One\n\n## Two\n\n## Three\n', '', 'none'],
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

test('a block is chosen if it reaches three fifths of the allowance', () => {
  const shown = '# Title\n\nSome words of text, and some more of them.'
  expect(cutPlain(withRest(shown))).toMatchObject({ content: shown, kind: 'block' })
})

test('a title before one long list is not the whole preview', () => {
  const { content, kind } = cutPlain(`# Title\n\n${'- an item of the list\n'.repeat(50)}`)
  expect(kind).toBe('item')
  expect(content).toMatch(/^# Title\n\n(- an item of the list\n){8,}- an item of the list$/)
})

test.each([
  ['a heading', '\n\n## More about keys of all kinds'],
  ['a setext heading', '\n\nMore about keys of all kinds\n---'],
  ['a heading in HTML', '\n\n<h2>More about keys</h2>'],
  ['a heading before a rule', '\n\n## More about keys\n\n***'],
  ['a colon', '\n\nA key is one of these:'],
  ['a bold colon', '\n\n**A key is one of these:**'],
  ['a wide colon', '\n\n钥匙可以是：'],
  ['the first line of a container', '\n\n::: tip About keys'],
])('does not end on %s', (_name, announcement) => {
  const shown = '# Keys\n\nA key opens a lock, and a lock opens a door, and a door opens a house.'
  const body = `${shown}${announcement}\n\n~~~\n${'code '.repeat(120)}\n~~~\n`
  expect(cutPlain(`${body}`.replace(announcement, '\n\nMore about keys.')).content).toMatch(/keys\.$/)
  expect(cutPlain(body).content).toBe(shown)
})

test('ends inside the list or sentence that a heading or a colon announces', () => {
  const rest = 'and that is what a locksmith has '.repeat(40)
  expect(cutPlain(`# Keys\n\n${rest}`).content).toMatch(/^# Keys\n\nand that is.* [a-z]+$/)
  expect(cutPlain(`Keys:\n\n- ${rest}`).content).toMatch(/^Keys:\n\n- and that is.* [a-z]+$/)
})

test('a container that closes is an end', () => {
  const shown = '::: tip\nA key opens a lock.\n:::'
  expect(cutPlain(withRest(shown)).content).toBe(shown)
})

test('divides no link, however long its text is', () => {
  const link = `[${'the keys of a house '.repeat(100)}](7)`
  expect(cutPlain(`Some words of text. See ${link} and more of them.`).content).toBe(
    'Some words of text. See',
  )
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

test.each(['中 and some more. Text.', '中 '.repeat(3_000)])(
  'a header written to deceive does not make it slow or wrong: %.9j',
  (body) => {
    expect(cutPreview({ content: body, rosetta: '[DECODE] 中=文', body, tokenizer }).content).toBe('')
  },
)

test('is legal for every text and scheme', () => {
  fc.assert(
    fc.property(nastyMarkdown, fc.constantFrom('minify-1', 'dense-2', 'none'), (body, scheme) => {
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
