import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createCacheEntries, type CacheEntries } from '../../src/node/index.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const DAY = 24 * 60 * 60 * 1000
const VALUE = Buffer.from('0123456789')
const nameEntry = (key: string): string => createHash('sha256').update(key).digest('hex')

/** Creates files of ten bytes that were used some days ago. */
function makeCache(days: Readonly<Record<string, number>>): string {
  const folder = makeFolder(Object.fromEntries(Object.keys(days).map((file) => [file, VALUE])))
  for (const [file, ago] of Object.entries(days)) {
    const time = (Date.now() - ago * DAY) / 1000
    utimesSync(join(folder, file), time, time)
  }
  return folder
}

function create(bytes = 1_000_000): CacheEntries {
  return createCacheEntries({ entryBytes: 100, bytes, unusedMs: 30 * DAY })
}

it('proves an entry by the secret, its key and its value', () => {
  const folder = makeFolder()
  const open = (secret: string): CacheEntries =>
    createCacheEntries({ entryBytes: 100, getSecret: () => Buffer.from(secret) })
  const entries = open('one')
  const damage = (change: (entry: Buffer) => Buffer, others = entries): unknown => {
    entries.write(folder, 'a', VALUE)
    const path = join(folder, nameEntry('a'))
    writeFileSync(path, change(readFileSync(path)))
    return others.read(folder, 'a')
  }
  expect(damage((entry) => entry)).toEqual(VALUE)
  expect(damage((entry) => entry, open('two'))).toBe('damaged')
  expect(damage((entry) => Buffer.concat([entry, VALUE]))).toBe('damaged')
  expect(damage((entry) => entry.subarray(0, 40))).toBe('damaged')
  entries.write(folder, 'b', VALUE)
  expect(damage(() => readFileSync(join(folder, nameEntry('b'))))).toBe('damaged')
  expect(entries.read(folder, 'a')).toBeUndefined()
})

it('reads no entry that is larger than one may be', () => {
  const folder = makeFolder({ [nameEntry('a')]: 'x'.repeat(100), [nameEntry('b')]: 'x'.repeat(101) })
  expect(create().read(folder, 'a')).toHaveLength(100)
  expect(create().read(folder, 'b')).toBeUndefined()
})

it('removes what was not used for long or left half-written, and no file that is not an entry', () => {
  const [old, recent] = [nameEntry('old'), nameEntry('recent')]
  const folder = makeCache({
    [old]: 31,
    [recent]: 29,
    [`.${old}.k3.tmp`]: 1,
    [`.${recent}.k4.tmp`]: 0,
    'notes.txt': 99,
  })
  create().write(folder, 'new', VALUE)
  const left = [recent, nameEntry('new'), `.${recent}.k4.tmp`, 'notes.txt', 'swept']
  expect(readdirSync(folder).toSorted()).toEqual(left.toSorted())
})

it('removes what was used longest ago while all are too large', () => {
  const names = ['a', 'b', 'c'].map(nameEntry)
  const folder = makeCache({ [names[0]!]: 3, [names[1]!]: 1, [names[2]!]: 2 })
  const entries = create(35)
  expect(entries.read(folder, 'a')).toEqual(VALUE)
  entries.write(folder, 'new', VALUE)
  const left = [names[0]!, names[1]!, nameEntry('new'), 'swept']
  expect(readdirSync(folder).toSorted()).toEqual(left.toSorted())
})

it('does not look for old entries soon after any process did, unless it has written much', () => {
  const old = nameEntry('old')
  const folder = makeCache({ [old]: 31, swept: 0.01 })
  const entries = create(400)
  entries.write(folder, 'new', VALUE)
  entries.write(folder, 'new', VALUE)
  expect(readdirSync(folder)).toContain(old)
  entries.write(folder, 'new', VALUE)
  expect(readdirSync(folder)).not.toContain(old)
  const later = makeCache({ [old]: 31, swept: 1 })
  create().write(later, 'new', VALUE)
  expect(readdirSync(later)).not.toContain(old)
})
