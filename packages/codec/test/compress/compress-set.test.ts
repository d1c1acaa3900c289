import { expect, it } from 'vitest'
import { type CompressedSet, compressSet, type SetOptions } from '../../src/compress/encode-text.ts'
import { decode } from '../../src/index.ts'
import { o200kBase } from '../load-o200k-base.ts'

const PHRASE = 'volatile xenon log'

/** A few lines about one subject, so that texts of it share phrases. */
function writeText(subject: string): string {
  const sentences = [
    `The ${PHRASE} keeps every jovial xenon jar.`,
    `A monitor reads the ${PHRASE} and warns the owner.`,
    `Each jovial xenon jar names the ${PHRASE} that gave it.`,
  ]
  const lines = Array.from({ length: 12 }, (_, line) => `- ${subject} ${line}: ${sentences[line % 3]}`)
  return [`# ${subject}`, '', ...lines, ''].join('\n')
}

const TEXTS = ['Alpha', 'Beta', 'Gamma'].map(writeText)

function compressAll(texts: readonly string[], options: Partial<SetOptions> = {}): CompressedSet {
  const code = texts.map(() => false)
  const tokenizer = o200kBase
  const set = compressSet(texts, {
    scheme: 'dense-2',
    tokenizer,
    glossary: [],
    code,
    reserved: '',
    ...options,
  })
  if (set === undefined) throw new Error('there is no separator')
  expect(set.contents.map((content) => decode(content, { entries: set.entries }))).toEqual(texts)
  return set
}

it('replaces a phrase in all texts by one term', () => {
  const { contents, entries } = compressAll(TEXTS)
  const { term } = entries.find(({ expansion }) => expansion.includes(PHRASE))!
  for (const content of contents) {
    expect(content).not.toContain(PHRASE)
    expect(content).toContain(term)
  }
})

it('reads the lines of each text separately', () => {
  const fence = `${TEXTS[0]}\n\`\`\`\n${PHRASE}\n`
  const { contents } = compressAll([fence, TEXTS[1]!])
  expect(contents[0]!.endsWith(`\`\`\`\n${PHRASE}\n`)).toBe(true)
  expect(contents[1]).not.toContain(PHRASE)
})

it('ends an unclosed verbatim region with its text', () => {
  const open = `${TEXTS[0]}\n<!-- pack:verbatim -->\n${TEXTS[1]}`
  const { contents } = compressAll([open, TEXTS[2]!])
  expect(contents[0]).toContain(TEXTS[1])
  expect(contents[1]).not.toContain(PHRASE)
})

it.each(['dense-2', 'max-2'] as const)('has no term that is in a text or reserved: %s', (scheme) => {
  const [first, second] = compressAll(TEXTS, { scheme }).entries.map(({ term }) => term)
  const texts = [TEXTS[0]!, `${TEXTS[1]}\nWe have ${first!.toLowerCase()}.\n`, TEXTS[2]!]
  const { entries } = compressAll(texts, { scheme, reserved: `A title with ${second}` })
  expect(entries.length).toBeGreaterThan(1)
  expect(entries.filter(({ term }) => [first, second].includes(term))).toEqual([])
})

it('is undefined if no character is left to separate the texts', () => {
  const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).join('')
  const options = { scheme: 'dense-2', tokenizer: o200kBase, glossary: [], code: [], reserved: '' } as const
  expect(compressSet([all], options)).toBeUndefined()
})
