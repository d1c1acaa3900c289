import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createFolderCache } from '../../src/node/index.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const nameEntry = (key: string): string => createHash('sha256').update(key).digest('hex')

/** Lists the files of a folder without the one whose time is that of the last sweep. */
function listEntries(folder: string): string[] {
  return readdirSync(folder).filter((name) => name !== 'swept')
}

function sumBytes(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + lstatSync(join(folder, name)).size, 0)
}

it('returns what was set, also to another cache of the folder', async () => {
  const folder = join(makeFolder(), 'cache')
  const cache = createFolderCache(folder)
  expect(await cache.get('a')).toBeUndefined()
  const text = '\uFEFF{"a": "é\u2028😀"}\r\n'
  await cache.set('a', 'old')
  await cache.set('a', text)
  await cache.set('a\nb', '')
  expect(await createFolderCache(folder).get('a')).toBe(text)
  expect(await cache.get('a\nb')).toBe('')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(listEntries(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600, 0o600])
})

it('takes the folder of the user if none is named', async () => {
  const root = makeFolder()
  vi.stubEnv('XDG_CACHE_HOME', root)
  onTestFinished(() => void vi.unstubAllEnvs())
  await createFolderCache().set('a', 'text')
  expect(listEntries(join(root, 'packs/client'))).toEqual([nameEntry('a')])
})

it.each<[string, (path: string) => void]>([
  ['cut', (path) => truncateSync(path, statSync(path).size - 1)],
  ['empty', (path) => truncateSync(path, 0)],
  ['extended', (path) => writeFileSync(path, ' ', { flag: 'a' })],
  [
    'changed in one bit',
    (path) => {
      const data = readFileSync(path)
      data[data.length - 2]! ^= 1
      writeFileSync(path, data)
    },
  ],
])('removes an entry that is %s', async (_, damage) => {
  const folder = join(makeFolder(), 'cache')
  const cache = createFolderCache(folder)
  await cache.set('a', 'some text')
  damage(join(folder, nameEntry('a')))
  expect(await cache.get('a')).toBeUndefined()
  expect(listEntries(folder)).toEqual([])
  await cache.set('a', 'new')
  expect(await cache.get('a')).toBe('new')
})

it('does not return the sound entry of another key', async () => {
  const folder = join(makeFolder(), 'cache')
  const cache = createFolderCache(folder)
  await cache.set('a', 'text')
  writeFileSync(join(folder, nameEntry('b')), readFileSync(join(folder, nameEntry('a'))))
  expect(await cache.get('b')).toBeUndefined()
})

it('neither reads nor writes through a link where an entry belongs', async () => {
  const root = makeFolder({ 'elsewhere.txt': 'kept' })
  const folder = join(root, 'cache')
  const cache = createFolderCache(folder)
  await cache.set('a', 'text')
  writeFileSync(join(root, 'sound'), readFileSync(join(folder, nameEntry('a'))))
  rmSync(join(folder, nameEntry('a')))
  symlinkSync(join(root, 'sound'), join(folder, nameEntry('a')))
  expect(await cache.get('a')).toBeUndefined()
  symlinkSync(join(root, 'elsewhere.txt'), join(folder, nameEntry('b')))
  await cache.set('b', 'new')
  expect(await cache.get('b')).toBe('new')
  expect(readFileSync(join(root, 'elsewhere.txt'), 'utf8')).toBe('kept')
})

it.each<[string, (root: string) => void]>([
  ['is a file, or below one', (root) => writeFileSync(join(root, 'cache'), 'a file')],
  [
    'can be written by others',
    (root) => {
      mkdirSync(join(root, 'cache'))
      chmodSync(join(root, 'cache'), 0o777)
    },
  ],
  ['cannot be created (ENOENT)', (root) => symlinkSync('missing/too', join(root, 'cache'))],
])('keeps nothing in a folder that %s, and says so', async (fault, prepare) => {
  const root = makeFolder()
  prepare(root)
  const cache = createFolderCache(join(root, 'cache'))
  await cache.set('a', 'text')
  expect(await cache.get('a')).toBeUndefined()
  expect(cache.fault()).toBe(`${join(root, 'cache')} ${fault}`)
})

it('keeps nothing where entries cannot be written, and creates a folder that was removed', async () => {
  const root = makeFolder()
  const folder = join(root, 'cache')
  const cache = createFolderCache(folder)
  mkdirSync(join(folder, nameEntry('a'), 'full'), { recursive: true, mode: 0o700 })
  await cache.set('a', 'text')
  expect(await cache.get('a')).toBeUndefined()
  expect(listEntries(folder)).toEqual([nameEntry('a')])
  expect(cache.fault()).toBe(
    `${join(folder, nameEntry('a'))} is a folder with files where a cache entry should be; remove it`,
  )
  rmdirSync(join(folder, nameEntry('a'), 'full'))
  await cache.set('a', 'text')
  expect(await cache.get('a')).toBe('text')
  expect(cache.fault()).toBeUndefined()
  rmSync(folder, { recursive: true })
  await cache.set('b', 'lost')
  await cache.set('b', 'text')
  expect(await cache.get('b')).toBe('text')
})

it('does not keep a text that UTF-8 cannot have', async () => {
  const cache = createFolderCache(join(makeFolder(), 'cache'))
  await cache.set('a', 'half \uD800 of a pair')
  expect(await cache.get('a')).toBeUndefined()
})

it('removes the entries that were not used for the longest time, and no other files', async () => {
  const folder = join(makeFolder(), 'cache')
  const cache = createFolderCache(folder, { bytes: 10_000 })
  const text = 'x'.repeat(2900)
  for (const [index, key] of ['a', 'b', 'c'].entries()) {
    await cache.set(key, text)
    const time = new Date(Date.UTC(2020, 0, 1 + index))
    utimesSync(join(folder, nameEntry(key)), time, time)
  }
  writeFileSync(join(folder, 'notes.md'), 'x'.repeat(50_000))
  expect(await cache.get('a')).toBe(text)
  await cache.set('d', text)
  const found = await Promise.all(['a', 'b', 'c', 'd'].map((key) => cache.get(key)))
  expect(found.map((value) => value !== undefined)).toEqual([true, false, true, true])
  await cache.set('large', 'x'.repeat(20_000))
  expect(await cache.get('large')).toBeUndefined()
  expect(await cache.get('d')).toBe(text)
  expect(readdirSync(folder)).toContain('notes.md')
})

it('never returns wrong bytes to ten processes, of which some are killed', async () => {
  const folder = join(makeFolder(), 'cache')
  const address = new URL('../../src/node/index.ts', import.meta.url).href
  const script = fileURLToPath(new URL('write-entries.ts', import.meta.url))
  const processes = Array.from({ length: 10 }, (_, index) => {
    const rounds = index < 3 ? '1000000' : '60'
    const args = ['-C', 'source', script, address, folder, '20000', rounds]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (index < 3) child.kill('SIGKILL')
    })
    return new Promise<string>((resolve) => child.on('close', () => resolve(printed)))
  })
  const printed = await Promise.all(processes)
  const wrong = printed.slice(3).map((text) => /"wrong":(.*?),"hits"/.exec(text)?.[1])
  expect(wrong).toEqual(Array.from({ length: 7 }, () => '[]'))
  expect(sumBytes(folder)).toBeLessThan(60_000)
})
