import {
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  mkdirSync,
  chmodSync,
} from 'node:fs'
import { join } from 'node:path'
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
    expect(openStore(folder, true).find(CALL)).toEqual(ANSWER)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'calls', `${digestCall(CALL)}.json`)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
    expect(readdirSync(folder).sort()).toEqual(['.gitignore', 'calls'])
  })

  it('says that the disk is full', () => {
    const store = openStore(makeFolder(), false, () => {
      throw Object.assign(new Error('write'), { code: 'ENOSPC' })
    })
    expect(() => store.save(CALL, ANSWER)).toThrow(
      expect.objectContaining({ code: 'store_failed', message: expect.stringContaining('no space left') }),
    )
  })

  it('takes a damaged answer for a missing one', () => {
    const folder = makeFolder()
    const store = openStore(folder, false)
    const path = join(folder, 'calls', `${digestCall(CALL)}.json`)
    for (const text of ['', '{', '[]', JSON.stringify({ ...ANSWER, text: 1 })]) {
      writeFileSync(path, text)
      expect(store.find(CALL)).toBeUndefined()
    }
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
