import { getTokenizer, loadTokenizer } from '@packs/codec/tokens'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { MarkedPart } from '@packs/codec/theme'
import { renderCell } from '../../src/report/render-rows.ts'

beforeAll(async () => {
  await loadTokenizer('o200k_base')
})

function render(text: string, cell: MarkedPart): string {
  const pieces = getTokenizer('o200k_base').splitPieces(text)
  return String(renderCell(cell, { text, pieces, rankOf: (entry) => entry, assignId: () => '' }))
}

describe('renderCell', () => {
  it('marks occurrences, and words of several tokens inside and around them', () => {
    expect(render('see xylophonists\n', { from: 0, to: 17, marks: [{ entry: 3, from: 5, to: 15 }] })).toBe(
      'see<i class="t1"> x</i><b class="m e3"><i class="t1">ylophonist</i></b><i class="t1">s</i>',
    )
  })

  it('omits the line end, but shows a carriage return elsewhere', () => {
    expect(render('a\rb\r\n', { from: 0, to: 5, marks: [] })).toBe('a<i class=x>U+000D</i>b')
  })

  it('cuts a very long occurrence', () => {
    const text = 'a b '.repeat(1000)
    const cell = { from: 0, to: 4000, marks: [{ entry: 0, from: 0, to: 4000 }] }
    expect(render(text, cell)).toBe(`<b class="m e0">${'a b '.repeat(500)}…</b>`)
  })

  it('shows the whole text, regardless of the marks', () => {
    const unit = fc.constantFrom('word', ' ', '<', '&', 'xylophonists', '日本語', '🙂', 'é')
    fc.assert(
      fc.property(
        fc.array(unit, { minLength: 1, maxLength: 20 }),
        fc.nat(19),
        fc.nat(19),
        (units, one, two) => {
          const text = units.join('')
          const from = units.slice(0, Math.min(one, two)).join('').length
          const to = units.slice(0, Math.max(one, two)).join('').length
          const html = render(text, { from: 0, to: text.length, marks: [{ entry: 0, from, to }] })
          const shown = html
            .replaceAll(/<[^>]*>/g, '')
            .replaceAll('&lt;', '<')
            .replaceAll('&amp;', '&')
          expect(shown).toBe(text)
        },
      ),
    )
  })
})
