import { readFileSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { drawPack, THEMES } from '../draw-pack.ts'

it.each(THEMES)(
  'docs/images/pack-%s.svg is what the script draws, as text and small, with all terms',
  async (theme) => {
    const path = `docs/images/pack-${theme}.svg`
    expect(readFileSync(path, 'utf8')).toBe(await drawPack(theme))
    const [, dense = '', header = ''] = readFileSync(path, 'utf8').split(/dense-2[:,] /)
    const terms = new Set([...header.matchAll(/<tspan class="term">(.)<\/tspan>=/gu)].map(([, term]) => term))
    // Those of the passage, and those within what the others stand for.
    const letters = `${dense}${header.split('Whole document')[0]}`.match(/[^\0-\x7F]/g)!
    expect(new Set(letters)).toEqual(terms)
    expect(statSync(path).size).toBeLessThan(30 * 1024)
  },
)
