import { readFileSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { drawPack, THEMES } from '../draw-pack.ts'

it.each(THEMES)(
  'docs/images/pack-%s.svg is what the script draws, as text and small, with all terms',
  async (theme) => {
    const path = `docs/images/pack-${theme}.svg`
    expect(readFileSync(path, 'utf8')).toBe(await drawPack(theme))
    const listed = readFileSync(path, 'utf8').split('Header, once')[1]!
    const header = [...listed.matchAll(/<text x="24"[^>]*>([^<]*)</g)].map((row) => row[1]).join('')
    const terms = new Set(header.split('|').map((entry) => entry.charAt(0)))
    const letters = header.match(/[^\0-\x7F]/g)!
    expect(letters.length).toBeGreaterThanOrEqual(terms.size)
    expect(letters.filter((letter) => !terms.has(letter))).toEqual([])
    expect(statSync(path).size).toBeLessThan(30 * 1024)
  },
)
