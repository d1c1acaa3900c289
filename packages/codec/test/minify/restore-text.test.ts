import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CodecError } from '../../src/errors.ts'
import { findLinksFault, findPatchFault } from '../../src/minify/patch-limits.ts'
import { restore, restoreText } from '../../src/minify/restore-text.ts'
import type { PatchRow } from '../../src/minify/types.ts'

// prettier-ignore
test.each<[string, string, PatchRow[], string]>([
  ['no row', 'a b', [], 'a b'],
  ['a row at each end', 'bc', [[0, 0, 'a'], [2, 0, 'd']], 'abcd'],
  ['an address', '[a](1)', [[4, 1, 'https://a.example']], '[a](https://a.example)'],
  ['rows that touch', 'abc', [[0, 1, 'x'], [1, 1, 'y'], [2, 1, '']], 'xy'],
  ['two rows at one place', 'ab', [[1, 0, '1'], [1, 0, '2']], 'a12b'],
  ['characters of two units', '😀b', [[2, 1, '😁']], '😀😁'],
])('a patch with %s restores', (_name, text, patch, source) => {
  expect(restoreText(text, patch)).toBe(source)
  expect(findPatchFault(patch)).toBeUndefined()
})

// prettier-ignore
test.each<[string, string, PatchRow[], number]>([
  ['rows out of order', 'abc', [[2, 0, ''], [1, 0, '']], 1],
  ['rows that overlap', 'abc', [[0, 2, ''], [1, 1, '']], 1],
  ['a place after the text', 'abc', [[4, 0, '']], 0],
  ['a row that ends after the text', 'abc', [[2, 2, '']], 0],
  ['a place before the text', 'abc', [[-1, 0, '']], 0],
  ['a negative length', 'abc', [[1, 0, ''], [3, -1, '']], 1],
  ['half an offset', 'abc', [[0.5, 1, '']], 0],
  ['no number', 'abc', [[Number.NaN, 1, '']], 0],
  ['half a character removed', 'a😀b', [[2, 1, '']], 0],
  ['half a character kept', 'a😀b', [[0, 2, '']], 0],
  ['a text between the halves of a character', '😀', [[1, 0, 'x']], 0],
])('a patch with %s is refused', (_name, text, patch, entry) => {
  const apply = (): string => restoreText(text, patch)
  expect(apply).toThrow(CodecError)
  expect(apply).toThrow(expect.objectContaining({ code: 'invalid_patch', entry }))
})

test('what a patch of all differences makes is the source', () => {
  const piece = fc.tuple(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'grapheme' }),
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const patch: PatchRow[] = []
      let text = ''
      let source = ''
      for (const [kept, removed, inserted] of pieces) {
        text += kept
        patch.push([text.length, removed.length, inserted])
        text += removed
        source += kept + inserted
      }
      expect(restoreText(text, patch)).toBe(source)
    }),
  )
})

describe('restore', () => {
  const pack = { content: 'CA: [a](1)', rosetta: '[DECODE] CA=authority', front_matter: '---\n---\n' }
  const patch: PatchRow[] = [[15, 1, '/a']]

  test('returns the body, or the file', () => {
    expect(restore({ ...pack, patch })).toBe('authority: [a](/a)')
    expect(restore({ ...pack, patch }, { frontMatter: true })).toBe('---\n---\nauthority: [a](/a)')
    expect(restore({ ...pack, front_matter: undefined, patch }, { frontMatter: true })).toBe(
      'authority: [a](/a)',
    )
  })

  test('of a pack without patch returns what it decodes to, unless it was minified', () => {
    expect(restore(pack)).toBe('authority: [a](1)')
    expect(() => restore({ ...pack, text_sha256: '0'.repeat(64) })).toThrow(
      expect.objectContaining({ code: 'invalid_patch', hint: 'Get the whole pack again' }),
    )
    expect(() => restore(pack, { maxOutput: 8 })).toThrow(
      expect.objectContaining({ code: 'output_too_large' }),
    )
  })
})

// prettier-ignore
test.each<[string, unknown]>([
  ['no list', {}],
  ['no row', [1]],
  ['a row of two', [[1, 2]]],
  ['a row of four', [[1, 2, '', '']]],
  ['an offset as text', [['1', 2, '']]],
  ['a negative offset', [[-1, 2, '']]],
  ['rows that overlap', [[0, 2, ''], [1, 2, '']]],
  ['a place after the largest text', [[16_777_216, 1, '']]],
  ['half a character', [[1, 2, '\uD800']]],
  ['too many rows', Array.from({ length: 1_048_577 }, () => [0, 0, ''])],
  ['too much text', [[0, 0, 'x'.repeat(16_777_216)], [0, 0, 'x']]],
])('no document has a patch with %s', (_name, patch) => {
  expect(findPatchFault(patch)).toMatch(/^must /)
})

// prettier-ignore
test.each<[string, unknown]>([
  ['no list', 'a'],
  ['a number', [1]],
  ['two lines', ['a\nb']],
  ['a carriage return', ['a\rb']],
  ['half a character', ['\uDC00']],
  ['a long address', ['x'.repeat(1_048_577)]],
  ['too many', Array.from({ length: 65_537 }, () => 'a')],
  ['too much text', Array.from({ length: 17 }, () => 'x'.repeat(1_048_576))],
])('no document has links with %s', (_name, links) => {
  expect(findLinksFault(links)).toMatch(/^must /)
  expect(findLinksFault(['x'.repeat(1_048_576), '', '#a'])).toBeUndefined()
})
