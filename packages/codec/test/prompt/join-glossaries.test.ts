import { describe, expect, test } from 'vitest'
import { CompressError } from '../../src/compress/compress-error.ts'
import { composePrompt } from '../../src/prompt/compose-prompt.ts'
import type { PromptDocument } from '../../src/prompt/types.ts'
import '../load-o200k-base.ts'
import { joinGlossaries } from '../../src/prompt/read-packs.ts'
import { makeDocument, readSources, writeText } from './sample-documents.ts'

const LOG = 'certificate transparency log'
const TEXTS = ['Alpha', 'Beta', 'Gamma'].map((name) => writeText(name, 12))
const [ALPHA, BETA, GAMMA] = TEXTS.map((text, index) => makeDocument(text, 'abc'[index]!)) as [
  PromptDocument,
  PromptDocument,
  PromptDocument,
]

describe('the rules of a set', () => {
  test('hold for all packs: a phrase that one author keeps is never replaced', () => {
    const kept = { ...BETA, glossary: [{ expansion: LOG, never: true }] }
    const prompt = composePrompt([ALPHA, kept, GAMMA])
    expect(readSources(prompt)).toEqual(TEXTS)
    expect(prompt.plan.chosen).toBe('together')
    expect(prompt.terms.every(({ expansion }) => !expansion.includes(LOG))).toBe(true)
    expect(prompt.text.split(LOG)).toHaveLength(TEXTS.join('').split(LOG).length)
  })

  test('give a phrase the term that an author or the options choose', () => {
    const varied = ['Ann', 'Bob', 'Cy'].map((name) =>
      makeDocument(
        Array.from({ length: 20 }, (_, at) => `${name}${at} ${LOG} ${20 - at}${name}.\n`).join(''),
        name,
        'minify-1',
      ),
    )
    const pinned = [varied[0]!, varied[1]!, { ...varied[2]!, glossary: [{ expansion: LOG, term: 'TL' }] }]
    const byAuthor = composePrompt(pinned, { scheme: 'minify-1' })
    expect(byAuthor.terms).toContainEqual({ term: 'TL', expansion: LOG })
    const glossary = [{ expansion: LOG, term: 'XL' }]
    const { terms, notes } = composePrompt(pinned, { scheme: 'minify-1', glossary })
    expect(terms).toContainEqual({ term: 'XL', expansion: LOG })
    expect(notes).toEqual([
      {
        code: 'pin_clashes',
        pack: 2,
        message: `Glossary rule of pack 3 (Cy) skipped: One phrase has two terms, "XL" and "TL": "${LOG}"`,
      },
    ])
  })

  test('omit, with a note, what contradicts another rule, a text or a title', () => {
    const packs = [
      {
        ...ALPHA,
        glossary: [
          { expansion: 'domain owner', term: 'DO' },
          { expansion: 'a monitor', term: 'MO' },
        ],
      },
      {
        ...BETA,
        title: 'TT',
        glossary: [
          { expansion: LOG, term: 'DO' },
          { expansion: 'signed certificate', term: 'TT' },
        ],
      },
      {
        ...GAMMA,
        glossary: [
          { expansion: 'a monitor', never: true },
          { expansion: 'new', term: 'gamma' },
        ],
      },
    ]
    const { rules, notes } = joinGlossaries(
      [{ expansion: 'each', term: 'Beta' }],
      packs,
      TEXTS,
      '<doc title="TT">',
    )
    expect(rules).toEqual([
      { expansion: 'a monitor', never: true },
      { expansion: 'domain owner', term: 'DO' },
    ])
    expect(notes.map(({ pack, message }) => [pack, message.replace(/^Glossary rule of /, '')])).toEqual([
      [0, 'pack 1 (a) skipped: One phrase is both replaced and never replaced: "a monitor"'],
      [1, `pack 2 (b) skipped: One term stands for two phrases, "domain owner" and "${LOG}": "DO"`],
      [1, 'the options skipped: Term occurs in the text: "Beta"'],
      [1, 'pack 2 (b) skipped: Term occurs in the text: "TT"'],
      [2, 'pack 3 (c) skipped: Term occurs in the text: "gamma"'],
    ])
  })

  test('omit a rule that no header can have, but keep what it says never to replace', () => {
    const odd = [
      { expansion: 'owner', term: 'D O' },
      { expansion: '', term: 'EM' },
      { expansion: 'log', term: 'LO', never: true },
    ]
    const { rules, notes } = joinGlossaries([], [{ ...ALPHA, glossary: odd }], [TEXTS[0]!], '')
    expect(rules).toEqual([{ expansion: 'log', never: true }])
    expect(notes.map(({ code, pack }) => [code, pack])).toEqual([['pin_clashes', 0]])
  })

  test('are refused if those of the options contradict themselves', () => {
    const glossary = [
      { expansion: LOG, term: 'TL' },
      { expansion: LOG, term: 'XL' },
    ]
    expect(() => composePrompt([ALPHA, BETA], { glossary })).toThrow(CompressError)
    expect(() => composePrompt([ALPHA, BETA], { glossary })).toThrow('Two rules for one phrase')
  })
})

describe('code', () => {
  const fence = (name: string): string =>
    `\`\`\`\n${Array.from({ length: 9 }, (_, at) => `${name}${at} the young jovial jay ${at}`).join('\n')}\n\`\`\`\n`
  const texts = ['left', 'right'].map((name) => `${TEXTS[0]}\n${fence(name)}`)
  const packs = texts.map((text, index) => makeDocument(text, `code-${index}`))
  const countKept = (text: string, name: string): number =>
    text.split(new RegExp(`${name}\\d the young`)).length - 1

  test('is kept in the packs whose authors say so', () => {
    const prompt = composePrompt([packs[0]!, { ...packs[1]!, code: false }])
    expect(readSources(prompt)).toEqual(texts)
    expect([countKept(prompt.text, 'left'), countKept(prompt.text, 'right')]).toEqual([0, 9])
  })

  test('is changed in all or none if the options say so', () => {
    const all = composePrompt(
      packs.map((pack) => ({ ...pack, code: false })),
      { code: true },
    ).text
    expect([countKept(all, 'left'), countKept(all, 'right')]).toEqual([0, 0])
    const none = composePrompt(packs, { code: false }).text
    expect([countKept(none, 'left'), countKept(none, 'right')]).toEqual([9, 9])
  })
})
