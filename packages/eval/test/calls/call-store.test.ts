import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  mkdirSync,
  chmodSync,
} from 'node:fs'
import { join } from 'node:path'
import { replacePrivately } from '@packs/files'
import { describe, expect, it } from 'vitest'
import type { AskedModel } from '../../src/calls/ask-model.ts'
import { type Call, digestCall, openStore, type StoredAnswer } from '../../src/calls/call-store.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const SMALL: AskedModel = { name: 'small', url: null, ask: () => Promise.reject(new Error('not asked')) }
const CALL: Call = { prompt: { system: 'A', user: 'B' }, model: SMALL, options: {}, replicate: 0 }
const ANSWER: StoredAnswer = {
  text: '42',
  returned: 'small-2026',
  finish: 'stop',
  milliseconds: 12,
  tokens: { input: 1, cached: null, output: 2, reasoning: null },
  model: 'small',
  url: null,
  at: '2026-11-28T00:00:00.000Z',
}

describe('openStore', () => {
  it('keeps answers in a folder that only this user can read and git ignores', () => {
    const folder = join(makeFolder(), '.packs', 'eval')
    const store = openStore(folder, false)
    expect(store.find(CALL)).toBeUndefined()
    store.save(CALL, ANSWER)
    expect(store.find(CALL)).toEqual(ANSWER)
    expect(store.count()).toBe(1)
    store.close()
    expect(openStore(folder, true).find(CALL)).toEqual(ANSWER)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'calls', `${digestCall(CALL)}.json`)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
    expect(readdirSync(folder).sort()).toEqual(['.gitignore', 'calls'])
  })

  it('keeps the answers on their way when the disk is full, and says so', () => {
    const folder = makeFolder()
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' })
    let isFull = false
    // The disk is full as long as the reserve is there.
    const write = (path: string, data: Uint8Array): void => {
      if (isFull && existsSync(join(folder, 'reserve'))) throw full
      replacePrivately(path, data)
    }
    const store = openStore(folder, false, write)
    isFull = true
    expect(store.fault()).toBeUndefined()
    store.save(CALL, ANSWER)
    expect(store.find(CALL)).toEqual(ANSWER)
    expect(store.fault()).toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining('no space left'),
    })
  })

  it('asks nothing if there is no space for a reserve, and leaves no lock', () => {
    const folder = makeFolder()
    const open = (): unknown =>
      openStore(folder, false, () => {
        throw Object.assign(new Error('write'), { code: 'ENOSPC' })
      })
    expect(open).toThrow(expect.objectContaining({ code: 'store_failed' }))
    expect(existsSync(join(folder, 'lock'))).toBe(false)
  })

  it('is used by one program at a time, and taken over from one that was killed', () => {
    const folder = makeFolder()
    const store = openStore(folder, false)
    expect(() => openStore(folder, false)).toThrow(
      expect.objectContaining({
        code: 'store_in_use',
        message: expect.stringContaining(`process ${process.pid}`),
      }),
    )
    // Reading needs no lock.
    const reading = openStore(folder, true)
    expect(reading.count()).toBe(0)
    reading.close()
    expect(readdirSync(folder).sort()).toEqual(['.gitignore', 'calls', 'lock', 'reserve'])
    store.close()
    // The number may since be that of this program, as in a container.
    for (const killed of [999_999_999, process.pid]) {
      writeFileSync(join(folder, 'lock'), `${killed}\n`)
      openStore(folder, false).close()
      expect(existsSync(join(folder, 'lock'))).toBe(false)
    }
  })

  it('takes a damaged answer for a missing one', () => {
    const folder = makeFolder()
    const store = openStore(folder, false)
    const path = join(folder, 'calls', `${digestCall(CALL)}.json`)
    for (const text of ['', '{', '[]', JSON.stringify({ ...ANSWER, text: 1 })]) {
      writeFileSync(path, text)
      expect(store.find(CALL)).toBeUndefined()
    }
    store.close()
  })

  it.skipIf(process.platform === 'win32')('refuses a folder that others can read, or a link', () => {
    const folder = makeFolder()
    mkdirSync(join(folder, 'open'))
    chmodSync(join(folder, 'open'), 0o755)
    symlinkSync(join(folder, 'open'), join(folder, 'link'))
    for (const name of ['open', 'link'])
      expect(() => openStore(join(folder, name), false)).toThrow(
        expect.objectContaining({ code: 'store_failed' }),
      )
  })
})

describe('digestCall', () => {
  it('depends on prompt, model, options and replicate', () => {
    const calls: Call[] = [
      CALL,
      { ...CALL, prompt: { user: 'B' } },
      { ...CALL, prompt: { system: 'A', user: 'C' } },
      { ...CALL, model: { ...SMALL, name: 'large' } },
      { ...CALL, options: { temperature: 0 } },
      { ...CALL, replicate: 1 },
    ]
    expect(new Set(calls.map(digestCall)).size).toBe(calls.length)
    expect(digestCall({ ...CALL, promptTokens: 5 })).toBe(digestCall(CALL))
    expect(digestCall({ ...CALL, options: { temperature: undefined } })).toBe(digestCall(CALL))
  })
})
