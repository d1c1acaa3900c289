import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sweepCache } from '../../../src/build-run/cache/sweep-cache.ts'
import { makeFolder } from '../../run-pack.ts'

const NOW = Date.UTC(2026, 5, 1)
const DAY = 24 * 60 * 60 * 1000
const LIMITS = { unusedMs: 30 * DAY, bytes: 25, intervalMs: DAY }
const name = (letter: string): string => letter.repeat(64)

/** Creates files of ten bytes that were used some days ago. */
function makeCache(days: Readonly<Record<string, number>>): string {
  const folder = makeFolder(Object.fromEntries(Object.keys(days).map((file) => [file, '0123456789'])))
  for (const [file, ago] of Object.entries(days)) {
    const time = (NOW - ago * DAY) / 1000
    utimesSync(join(folder, file), time, time)
  }
  return folder
}

describe('sweepCache', () => {
  it('removes what was not used for long, and no file that is not an entry', () => {
    const folder = makeCache({
      [name('a')]: 1,
      [name('b')]: 31,
      [`${name('c')}.1-2.tmp`]: 1,
      'notes.txt': 99,
    })
    sweepCache(folder, NOW, LIMITS)
    expect(readdirSync(folder)).toEqual([name('a'), 'notes.txt', 'swept'])
  })

  it('removes what was used longest ago while the cache is too large', () => {
    const folder = makeCache({ [name('a')]: 3, [name('b')]: 1, [name('c')]: 2 })
    sweepCache(folder, NOW, LIMITS)
    expect(readdirSync(folder)).toEqual([name('b'), name('c'), 'swept'])
  })

  it('does nothing soon after it was done', () => {
    const folder = makeCache({ [name('a')]: 31, swept: 0.5 })
    sweepCache(folder, NOW, LIMITS)
    expect(readdirSync(folder)).toEqual([name('a'), 'swept'])
    sweepCache(folder, NOW + DAY, LIMITS)
    expect(readdirSync(folder)).toEqual(['swept'])
  })

  it('accepts that there is no cache', () => {
    const folder = makeFolder()
    sweepCache(join(folder, 'absent'), NOW, LIMITS)
    expect(readdirSync(folder)).toEqual([])
  })
})
