import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { listPhrases, listTexts } from '../list-phrases.ts'

describe('listPhrases', () => {
  it.each([
    ['A pack is no program.', 'is not a'],
    ['It works, also if the catalog is away.', 'even'],
    ['The page was left out.', 'skipped, omitted'],
    ['/**\n * What stands\n * in the header.\n */', 'is, appears'],
    ['// an address of the catalog', 'URL'],
    ['It counts some 12 files.', 'about'],
    ['It is tokenised.', 'American spelling'],
  ])('finds the phrase in %j', (text, instead) => {
    expect(listPhrases('a.md', text).map((use) => use.instead)).toEqual([instead])
  })

  it('names the line, also after signs of two units', () => {
    expect(listPhrases('a.md', '🙂 one\n\nIt begins\nanew.')).toMatchObject([{ path: 'a.md', line: 4 }])
  })

  it.each([
    'There is no term in it.',
    'It is no longer there.',
    'Connect to an IP address.',
    'A term stands for its expansion.',
    'It ran out of memory, and the email address is kept.',
  ])('accepts %j', (text) => {
    expect(listPhrases('a.md', text)).toEqual([])
  })
})

it.each(listTexts())('%s has none of the phrases', (path) => {
  expect(listPhrases(path, readFileSync(path, 'utf8'))).toEqual([])
})
