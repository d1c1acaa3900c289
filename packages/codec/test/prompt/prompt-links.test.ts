import { describe, expect, test } from 'vitest'
import { compress } from '../../src/compress/compress.ts'
import { DATA_SENTENCE, LINKS_SENTENCE } from '../../src/frame-packs.ts'
import { resolveLinks } from '../../src/links/resolve-links.ts'
import { composePrompt } from '../../src/prompt/compose-prompt.ts'
import type { ComposeOptions, PromptDocument } from '../../src/prompt/types.ts'
import { o200kBase } from '../load-o200k-base.ts'
import { readSources, writeText } from './sample-documents.ts'

const pack = (slug: string, content: string, links: readonly string[], url?: string): PromptDocument => ({
  slug,
  content,
  rosetta: '[DECODE]',
  compression: 'minify-1',
  links,
  url,
})
const guide = pack('guide', 'See [setup](1) and [keys](2).\n', ['setup.md', 'https://x.example/keys'])
const notes = pack(
  'notes',
  'Read [the keys](1), [setup](2), [more](3).\n',
  ['https://x.example/keys', 'setup.md', '#more'],
  'https://n.example/notes',
)

const compose = (packs: readonly PromptDocument[], options: ComposeOptions = {}) =>
  composePrompt(packs, options)

test('the sentence about numbers has at most 25 tokens', () => {
  expect(o200kBase.countTokens(LINKS_SENTENCE)).toBe(23)
})

describe('the links of a prompt', () => {
  test('of one pack keep their numbers', () => {
    const composed = compose([guide])
    const frame = `<doc id="guide">\n${guide.content}\n</doc>\n`
    expect(composed.text).toBe(`${DATA_SENTENCE}\n${LINKS_SENTENCE}${frame}`)
    expect(compose([{ ...guide, slug: undefined }]).text).toBe(`${LINKS_SENTENCE}\n${guide.content}`)
    expect(composed.links).toEqual({ 1: 'setup.md', 2: 'https://x.example/keys' })
    expect(composed.tokens).toBe(o200kBase.countTokens(composed.text))
  })

  test('of several packs are numbered together', () => {
    const composed = compose([guide, notes])
    expect(composed.text.startsWith(`${DATA_SENTENCE}\n${LINKS_SENTENCE}<`)).toBe(true)
    expect(readSources(composed)).toEqual([guide.content, 'Read [the keys](2), [setup](3), [more](4).\n'])
    expect(composed.links).toEqual({
      1: 'setup.md',
      2: 'https://x.example/keys',
      3: 'https://n.example/setup.md',
      4: 'https://n.example/notes#more',
    })
    expect(composed.tokens).toBe(o200kBase.countTokens(composed.text))
    expect(resolveLinks('[setup](3)', composed.links)).toBe('[setup](https://n.example/setup.md)')
  })

  test('can have their addresses in place, or none', () => {
    const inline = compose([guide, notes], { links: 'inline' })
    expect(inline.links).toEqual({})
    expect(readSources(inline)).toEqual([
      'See [setup](setup.md) and [keys](https://x.example/keys).\n',
      'Read [the keys](https://x.example/keys), [setup](https://n.example/setup.md), [more](https://n.example/notes#more).\n',
    ])
    const dropped = compose([guide], { links: 'drop' })
    expect([readSources(dropped), dropped.links]).toEqual([['See [setup] and [keys].\n'], {}])
  })

  test('are numbered under a header too', () => {
    const documents = ['A', 'B'].map((subject): PromptDocument => {
      const text = `${writeText(subject, 24)}\nSee [the log of ${subject}](https://log.example/${subject}/certificate-transparency-log-of-all-certificates/2026/11/28/entries.html?page=1&sort=asc) and [the owner of ${subject}](https://owner.example/${subject}/domain-owner-of-all-the-certificates/2026/11/28/owners.html?page=1&sort=asc).\n`
      const { content, rosetta, links, patch } = compress(text, { scheme: 'dense-2' })
      return { slug: subject, content, rosetta, compression: 'dense-2', links, patch }
    })
    const together = compose(documents)
    expect(together.plan.chosen).toBe('together')
    expect(together.text).toContain(`${LINKS_SENTENCE}${together.rosetta}\n\n<`)
    expect(together.links[3]).toBe(
      'https://log.example/B/certificate-transparency-log-of-all-certificates/2026/11/28/entries.html?page=1&sort=asc',
    )
    expect(readSources(together)[1]).toContain('See [the log of B](3) and [the owner of B](4).')
    const sources = compose(documents, { scheme: 'none' })
    expect(sources.text).toContain(
      '(https://log.example/B/certificate-transparency-log-of-all-certificates/2026/',
    )
    expect(sources.links).toEqual({})
  })

  test('without numbers there is no sentence', () => {
    for (const text of ['No link.\n', '[next](2)\n'])
      expect(compose([pack('a', text, [])]).text).toBe(`${DATA_SENTENCE}\n<doc id="a">\n${text}\n</doc>\n`)
  })
})

test.each<[string, PromptDocument, string]>([
  ['links that are no list', { ...guide, links: 'a' as never }, 'its links are not addresses by number'],
  ['links of two lines', { ...guide, links: ['a\nb'] }, 'its links are not addresses by number'],
  ['a patch that is none', { ...guide, patch: [[1]] as never }, 'its patch is not a list of rows'],
  ['a url that is no text', { ...guide, url: 1 as never }, 'its url is not a string'],
])('%s are refused', (_name, document, reason) => {
  expect(() => compose([document])).toThrow(`Cannot use pack 1 (guide): ${reason}`)
})

test('a form of links that does not exist is refused', () => {
  expect(() => compose([guide], { links: 'none' as never })).toThrow(
    'The option links cannot be none (string)',
  )
})
