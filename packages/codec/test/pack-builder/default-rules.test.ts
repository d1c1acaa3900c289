import { expect, test } from 'vitest'
import { decode } from '../../src/index.ts'
import { buildPack } from '../../src/pack-builder/build-pack.ts'
import { parseSource } from '../../src/pack.ts'
import type { Source } from '../../src/source/types.ts'

const PHRASE = 'volatile xenon log'
const WORDS = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon', 'Zeta', 'Eta', 'Theta', 'Iota', 'Kappa']
/** A text in which an entry for the phrase is worth a header, and nothing else is repeated. */
const lines = (phrase: string): string =>
  WORDS.flatMap((word) => ['', 'Sub', 'Over', 'Under', 'Inter', 'Hyper'].map((prefix) => `${prefix}${word}`))
    .map((word) => `${word} ${phrase} ${word.toUpperCase()}.\n\n`)
    .join('')

const glossary = [
  { expansion: PHRASE, term: 'VX' },
  { expansion: 'no such phrase', term: 'NSP' },
]

const parse = (text: string, path = 'a.md'): Source => {
  const { source } = parseSource(text, { path, defaults: { glossary } })
  if (source === undefined) throw new Error('there is no source')
  return source
}

test('a rule that is defaults for many files is used, without a warning where it does not fit', async () => {
  const { pack, messages } = await buildPack(parse(lines(PHRASE)))
  expect(pack?.rosetta).toContain(`VX=${PHRASE}`)
  expect(messages).toEqual([])
  const other = await buildPack(parse(`One ${PHRASE} only. ${'Some grey kettles hum. '.repeat(30)}`))
  expect(other.messages).toEqual([])
})

test('a term of the defaults that the text already has is omitted, with an info', async () => {
  const body = `A VX is public.\n\n${lines(PHRASE)}`
  const { pack, messages } = await buildPack(parse(body))
  expect(pack?.rosetta).not.toContain('VX=')
  expect(decode(pack!.content, pack!.rosetta)).toBe(body)
  expect(messages.map(({ ruleId, fatal }) => [ruleId, fatal])).toEqual([['glossary-left-out', undefined]])
  expect(messages[0]?.reason).toContain('"VX"')
})

test('a pack carries the rules of its file, and those defaults rules whose phrase it has', async () => {
  const defaults = [...glossary, { expansion: 'Zeta', never: true }, { expansion: 'Omega', never: true }]
  const own = `---\ncode: false\nglossary:\n  - {expansion: not in the text, term: NIT}\n  - {expansion: KAPPA, never: true}\n---\n`
  const { source } = parseSource(own + lines(PHRASE), { path: 'a.md', defaults: { glossary: defaults } })
  const rules = [
    { expansion: 'not in the text', term: 'NIT' },
    { expansion: 'KAPPA', never: true },
    { expansion: PHRASE, term: 'VX' },
    { expansion: 'Zeta', never: true },
  ]
  expect((await buildPack(source!)).pack).toMatchObject({ glossary: rules, code: false })
  expect((await buildPack(source!, { code: true })).pack).not.toHaveProperty('code')
})

test('a pack of a source without a glossary has neither field', async () => {
  const { source } = parseSource(lines(PHRASE), { path: 'a.md' })
  const { pack } = await buildPack(source!)
  expect(pack).not.toHaveProperty('glossary')
  expect(pack).not.toHaveProperty('code')
})

test('a glossary that is too large for a document is omitted, with an info', async () => {
  const rules = Array.from({ length: 300 }, (_, at) => ({ expansion: `${at} ${'word '.repeat(800)}end` }))
  const body = rules.map(({ expansion }) => `${expansion}\n`).join('')
  const { source } = parseSource(body, { path: 'a.md', defaults: { glossary: rules } })
  const { pack, messages } = await buildPack(source!, { scheme: 'none' })
  expect(pack).not.toHaveProperty('glossary')
  expect(messages.map(({ ruleId, fatal }) => [ruleId, fatal])).toEqual([['glossary-left-out', undefined]])
})
