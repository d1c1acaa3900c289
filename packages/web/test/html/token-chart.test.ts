import { expect, it } from 'vitest'
import { renderTokenChart } from '../../src/pages/browse/pack-about.ts'

it('draws content and header in proportion to the source, and describes them in the label', () => {
  const tokens = { uncompressed_estimate: 1000, token_count: 700, rosetta_tokens: 100, net_savings_pct: 20 }
  const picture = String(renderTokenChart(tokens))
  expect(picture).toContain('Source 1,000 tokens; content 700, header 100; net 20.00 % saved.')
  expect(picture).toMatch(/bar-source" x="0" y="2" width="600"/)
  expect(picture).toMatch(/bar-content" x="0" y="38" width="420"/)
  expect(picture).toMatch(/bar-header" x="420" y="38" width="60"/)
  expect(picture).not.toContain('style=')
})

it('draws a pack without tokens', () => {
  const tokens = { uncompressed_estimate: 0, token_count: 0, rosetta_tokens: 0, net_savings_pct: 0 }
  expect(String(renderTokenChart(tokens))).not.toMatch(/NaN|Infinity|bar-header" x/)
})
