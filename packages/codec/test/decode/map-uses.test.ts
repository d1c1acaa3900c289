import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decode, serializeRosetta } from '../../src/index.ts'
import { mapUses } from '../../src/decode/map-uses.ts'

test('maps single units between uses, and whole uses', () => {
  const uses = mapUses('a ML b ML, HTML', '[DECODE] ML=machine learning', 15)
  expect(uses.bodyEnd).toBe('a machine learning b machine learning, HTML'.length)
  expect([0, 2, 3, 18, 19, 21, 37, 38].map((at) => uses.toContent(at))).toEqual([
    0,
    2,
    undefined,
    4,
    5,
    7,
    9,
    10,
  ])
  expect([2, 3, 18, 22].map((at) => uses.skipExpansion(at))).toEqual([2, 18, 18, 37])
})

test('ends at its limit', () => {
  const uses = mapUses('ML ML ML', '[DECODE] ML=machine learning', 4)
  expect(uses.bodyEnd).toBe('machine learning machine learning'.length)
  expect(mapUses('plain', '[DECODE]', 3).bodyEnd).toBe(3)
})

test('a prefix of the content decodes to the prefix of the body that the map names', () => {
  const piece = fc.constantFrom('AB', 'AC', '§', '◆', 'word', ' ', '\n', 'é', '中', '\uE000', '.')
  const rosetta = serializeRosetta({
    entries: [
      { term: 'AB', expansion: 'alpha § beta' },
      { term: 'AC', expansion: 'x' },
      { term: '§', expansion: 'section\n◆' },
      { term: '◆', expansion: ' and ' },
    ],
  })
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const content = pieces.join('')
      const body = decode(content, rosetta)
      const uses = mapUses(content, rosetta, content.length)
      expect(uses.bodyEnd).toBe(body.length)
      let last = -1
      for (let at = 0; at <= body.length; at++) {
        const end = uses.toContent(at)
        if (end === undefined) continue
        expect(end).toBeGreaterThan(last)
        last = end
        // If a word is cut, its beginning may match as a term.
        const isWord =
          /[\p{L}\p{N}]$/u.test(content.slice(0, end)) && /^[\p{L}\p{N}]/u.test(content.slice(end))
        expect(isWord || decode(content.slice(0, end), rosetta) === body.slice(0, at)).toBe(true)
      }
    }),
  )
})
