import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { changePins } from '../../src/lock/pinned-packs.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

it('says that it waits for another program', async () => {
  const folder = makeFolder({ '.packs.lock.guard': 'of another program' })
  const notes: string[] = []
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    notes.push(String(text))
    rmSync(join(folder, '.packs.lock.guard'))
    return true
  })
  try {
    await changePins({ path: join(folder, 'packs.lock'), shown: 'agents/packs.lock' }, (lock) => lock)
  } finally {
    spy.mockRestore()
  }
  expect(notes).toEqual([
    'another program is changing agents/packs.lock, waiting for it; agents/.packs.lock.guard is removed if it was left for 10 seconds\n',
  ])
  expect(existsSync(join(folder, 'packs.lock'))).toBe(true)
})
