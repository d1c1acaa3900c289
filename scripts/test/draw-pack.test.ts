import { readFileSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { drawPack, THEMES } from '../draw-pack.ts'

it.each(THEMES)('docs/images/pack-%s.svg is what the script draws, as text and small', async (theme) => {
  const path = `docs/images/pack-${theme}.svg`
  expect(readFileSync(path, 'utf8')).toBe(await drawPack(theme))
  expect(statSync(path).size).toBeLessThan(30 * 1024)
})
