import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findLinksFault, findPatchFault, type PatchRow } from '../../src/minify/types.ts'
import { restore, restoreText } from '../../src/minify/restore-text.ts'

// What else a reader refuses is in fixtures/patch-invalid.json, and what it restores in restore.json.
test('an offset that is no number is refused', () => {
  const apply = (): string => restoreText('abc', [[Number.NaN, 1, '']])
  expect(apply).toThrow(expect.objectContaining({ code: 'invalid_patch', entry: 0 }))
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
