import { execFile } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/index.ts'
import { readLock, updateLock, writeLock } from '../../src/node/index.ts'
import type { Lock, Pin } from '../../src/types.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const PIN: Pin = {
  range: '^1',
  version: '1.2.0',
  pack_digest: 'a'.repeat(64),
  sha256: 'b'.repeat(64),
  token_count: 90,
  rosetta_tokens: 10,
  uncompressed_estimate: 120,
}
const LOCK: Lock = { lockfile_version: 1, packs: { 'tls-certificates': PIN } }

describe('writeLock and readLock', () => {
  it('write a file that readers can compare, and read it', async () => {
    const path = join(makeFolder(), 'packs.lock')
    expect(await readLock(path)).toBeUndefined()
    await writeLock(path, { lockfile_version: 1, packs: { z: PIN, a: PIN } })
    expect(Object.keys((await readLock(path))!.packs)).toEqual(['a', 'z'])
    await writeLock(path, LOCK)
    expect(await readLock(path)).toEqual(LOCK)
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(LOCK, null, 2)}\n`)
  })

  it('keep mode and link of the file, and do not touch one with the same pins', async () => {
    const root = makeFolder()
    await writeLock(join(root, 'real'), LOCK)
    chmodSync(join(root, 'real'), 0o640)
    symlinkSync('real', join(root, 'packs.lock'))
    utimesSync(join(root, 'real'), 0, 0)
    await writeLock(join(root, 'packs.lock'), LOCK)
    expect(statSync(join(root, 'real')).mtimeMs).toBe(0)
    await writeLock(join(root, 'packs.lock'), { ...LOCK, packs: {} })
    expect(lstatSync(join(root, 'packs.lock')).isSymbolicLink()).toBe(true)
    expect((await readLock(join(root, 'real')))!.packs).toEqual({})
    expect(statSync(join(root, 'real')).mode & 0o777).toBe(0o640)
    expect(readdirSync(root).toSorted()).toEqual(['packs.lock', 'real'])
  })

  it.each([
    ['{"lockfile_version": 1,\n"packs": }', /^the\.lock: .*JSON.*/],
    ['[]', /^the\.lock: .*lockfile_version/],
    [JSON.stringify({ ...LOCK, packs: { Tls: PIN } }), /^the\.lock: .*packs\["Tls"\]/],
    [
      JSON.stringify({ ...LOCK, packs: { tls: { ...PIN, version: 1 } } }),
      /^the\.lock: .*packs\["tls"\]\.version/,
    ],
    [Buffer.from([0x7b, 0xff]), /^the\.lock cannot be read: /],
  ])('name the file and the place in %j', async (text, message) => {
    const path = join(makeFolder({ 'packs.lock': text }), 'packs.lock')
    await expect(readLock(path, 'the.lock')).rejects.toMatchObject({
      name: 'ClientError',
      code: 'invalid_lock',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/./),
    })
  })

  it('say what to run where a merge is not finished, with the path as it was given', async () => {
    const path = join(makeFolder({ 'agents.lock': '{\n<<<<<<< HEAD\n' }), 'agents.lock')
    const expected = {
      code: 'invalid_lock',
      message: `${path}: The lock cannot be used: line 2 is a git conflict marker`,
      hint: expect.stringContaining(`git checkout --ours ${path},`),
    }
    await expect(readLock(path)).rejects.toMatchObject(expected)
    await expect(updateLock(path, (lock) => lock)).rejects.toMatchObject(expected)
    const client = createClient({ lock: path })
    await expect(client.packs.get('tls')).rejects.toMatchObject(expected)
  })

  it('report what is no JSON without its text', async () => {
    const path = join(makeFolder(), 'packs.lock')
    for (const text of ['SECRET of a file that a link leads to', '{"a": SECRET', '{"SECRET"']) {
      writeFileSync(path, text)
      const error = await readLock(path).catch((reason: Error) => reason)
      expect(error).toMatchObject({ code: 'invalid_lock', message: expect.not.stringContaining('SECRET') })
    }
  })

  it('report a folder in the place of the lock', async () => {
    const path = join(makeFolder({ 'packs.lock/a': '' }), 'packs.lock')
    await expect(readLock(path)).rejects.toMatchObject({ code: 'invalid_lock' })
    await expect(writeLock(path, LOCK)).rejects.toMatchObject({ syscall: 'rename' })
    expect(readdirSync(join(path, '..'))).toEqual(['packs.lock'])
  })
})

describe('updateLock', () => {
  it('changes the lock as it is now, and leaves no other file', async () => {
    const root = makeFolder()
    const path = join(root, 'packs.lock')
    await writeLock(path, LOCK)
    const changed = await updateLock(path, ({ packs, ...rest }) => ({ ...rest, packs: { ...packs, a: PIN } }))
    expect(changed.packs).toEqual({ a: PIN, 'tls-certificates': PIN })
    expect(await readLock(path)).toEqual(changed)
    expect(readdirSync(root)).toEqual(['packs.lock'])
  })

  it('leaves the lock as it is if the change fails or the lock is not valid', async () => {
    const root = makeFolder({ 'packs.lock': 'nonsense' })
    const path = join(root, 'packs.lock')
    await expect(updateLock(path, (lock) => lock)).rejects.toMatchObject({ code: 'invalid_lock' })
    writeFileSync(path, JSON.stringify(LOCK))
    const change = (): Lock => {
      throw new Error('no')
    }
    await expect(updateLock(path, change)).rejects.toThrow('no')
    expect(readdirSync(root)).toEqual(['packs.lock'])
    expect(await readLock(path)).toEqual(LOCK)
  })

  it('waits for its turn', async () => {
    const root = makeFolder({ '.packs.lock.guard': 'another program' })
    const path = join(root, 'packs.lock')
    let isDone = false
    const update = updateLock(path, () => LOCK).then(() => (isDone = true))
    // The first try has found the guard.
    await new Promise((resolve) => setImmediate(resolve))
    expect({ isDone, names: readdirSync(root) }).toEqual({ isDone: false, names: ['.packs.lock.guard'] })
    utimesSync(join(root, '.packs.lock.guard'), 0, 0)
    await update
    expect(readdirSync(root)).toEqual(['packs.lock'])
  })

  it('gives up where no file can be written', async () => {
    const root = makeFolder()
    const path = join(root, 'missing/packs.lock')
    await expect(updateLock(path, () => LOCK)).rejects.toMatchObject({ code: 'ENOENT' })
    mkdirSync(join(root, 'folder'))
    expect(readdirSync(root)).toEqual(['folder'])
  })

  it('loses no pin of ten programs at the same time', async () => {
    const root = makeFolder()
    const path = join(root, 'packs.lock')
    const script = fileURLToPath(new URL('add-pins.ts', import.meta.url))
    const run = promisify(execFile)
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        run(process.execPath, ['-C', 'source', script, path, `pack-${index}`, JSON.stringify(PIN)]),
      ),
    )
    const expected = Array.from({ length: 10 }, (_, index) =>
      Array.from({ length: 10 }, (_, pin) => `pack-${index}-${pin}`),
    )
    expect(Object.keys((await readLock(path))!.packs)).toEqual(expected.flat().toSorted())
    expect(readdirSync(root)).toEqual(['packs.lock'])
  })
})
