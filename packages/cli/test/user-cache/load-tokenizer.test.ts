import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VOCABULARY_VERSION } from '@packs/codec/internal'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const KEY = `vocabulary ${VOCABULARY_VERSION} cl100k_base`
const FILE = createHash('sha256').update(KEY).digest('hex')

/** Loads the tokenizer as a new process would, and counts two words with it. */
async function countAnew(folder: string): Promise<number> {
  vi.resetModules()
  const { loadTokenizer } = await import('../../src/user-cache/load-tokenizer.ts')
  return (await loadTokenizer('cl100k_base', folder)).countTokens('hello world')
}

describe('loadTokenizer', () => {
  let stored: Buffer
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pack-test-'))
    await countAnew(folder)
    stored = readFileSync(join(folder, FILE))
    rmSync(folder, { recursive: true })
    return () => vi.resetModules()
  })

  it('stores the vocabulary for this user only', async () => {
    const folder = makeFolder()
    expect(await countAnew(folder)).toBe(2)
    expect(readdirSync(folder)).toEqual([FILE, 'swept'])
    expect(statSync(join(folder, FILE)).mode & 0o777).toBe(0o600)
  })

  it('takes the stored vocabulary and leaves it as it is', async () => {
    const folder = makeFolder({ [FILE]: stored })
    const before = statSync(join(folder, FILE))
    expect(await countAnew(folder)).toBe(2)
    expect(statSync(join(folder, FILE)).ino).toBe(before.ino)
  })

  it.each<[string, (data: Buffer) => Uint8Array]>([
    ['is cut short', (data) => data.subarray(0, -4)],
    ['is empty', () => Buffer.of()],
    [
      'has a changed byte',
      (data) => Buffer.concat([data.subarray(0, 5000), Buffer.of(data[5000]! ^ 1), data.subarray(5001)]),
    ],
    ['is something else', () => Buffer.from('not a vocabulary')],
  ])('replaces one that %s', async (_, damage) => {
    const folder = makeFolder({ [FILE]: damage(stored) })
    expect(await countAnew(folder)).toBe(2)
    expect(readFileSync(join(folder, FILE)).equals(stored)).toBe(true)
  })

  it('replaces a link and does not write through it', async () => {
    const folder = makeFolder({ other: 'kept' })
    symlinkSync(join(folder, 'other'), join(folder, FILE))
    expect(await countAnew(folder)).toBe(2)
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('kept')
    expect(readFileSync(join(folder, FILE)).equals(stored)).toBe(true)
  })

  it('needs no folder that can be written to', async () => {
    const folder = makeFolder({ file: '' })
    expect(await countAnew(join(folder, 'file'))).toBe(2)
    expect(await countAnew(join(folder, 'absent'))).toBe(2)
    expect(readdirSync(folder)).toEqual(['file'])
  })
})
