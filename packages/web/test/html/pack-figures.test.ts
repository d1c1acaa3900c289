import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { THEME } from '@packs/theme'
import { describeSaving, measureCost, renderCostBar } from '../../src/html/pack-figures.ts'

const counts = {
  uncompressed_estimate: 1000,
  token_count: 700,
  rosetta_tokens: 60,
  compression: 'dense-2',
} as const

it('draws content, header and saving as shares of the source', () => {
  const bar = String(renderCostBar(counts))
  expect(measureCost(counts)).toEqual({ source: 1000, paid: 760, content: 700, saved: 240 })
  expect(describeSaving(counts)).toBe('saves 24.0 %, 240 tokens')
  expect(bar).toContain('class="bar-cost" width="70%"')
  expect(bar).toContain('class="bar-hatch" x1="70%" x2="76%"')
  expect(bar).toContain('class="bar-gain" x="76%"')
})

it.each([
  { ...counts, compression: 'none' as const, token_count: 1000, rosetta_tokens: 0 },
  { ...counts, rosetta_tokens: 340 },
  { ...counts, uncompressed_estimate: 0, token_count: 0, rosetta_tokens: 0 },
])('draws a pack that saves nothing as cost only', (pack) => {
  const bar = String(renderCostBar(pack))
  expect(describeSaving(pack)).toBe('no saving')
  expect(bar).toMatch(/bar-cost" width="(?:100|0)%"/)
  expect(bar).not.toMatch(/bar-hatch|bar-gain|NaN|Infinity/)
})

it('gives neighbors of the bar at least three times the luminance of the other', () => {
  const css = readFileSync(new URL('../../assets/base.css', import.meta.url), 'utf8')
  expect(css).toContain('fill: var(--cost)')
  const [light = '', dark = ''] = THEME.split('@media')
  for (const theme of [light, dark]) {
    const read = (name: string): number => luminance(theme.match(new RegExp(`--${name}: #(\\w{6})`))![1]!)
    for (const [one, other] of [
      ['cost', 'sheet'],
      ['gain', 'sheet'],
      ['gain', 'paper'],
      ['cost', 'gain'],
    ] as const) {
      const [low, high] = [read(one), read(other)].toSorted((a, b) => a - b) as [number, number]
      expect((high + 0.05) / (low + 0.05), `${one} on ${other}`).toBeGreaterThanOrEqual(3)
    }
  }
})

function luminance(hex: string): number {
  const [red, green, blue] = [0, 2, 4].map((at) => {
    const share = parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
