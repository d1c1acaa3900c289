import type * as NodeOs from 'node:os'
import { chmodSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ensureHome } from '../src/index.ts'
import { makeFolder } from '../../test-kit/test/run-pack.ts'

vi.mock('node:os', async (load) => {
  const os = await load<typeof NodeOs>()
  return { ...os, homedir: vi.fn(os.homedir), userInfo: vi.fn(os.userInfo) }
})

beforeEach(() => vi.stubEnv('HOME', ''))
afterEach(() => {
  vi.unstubAllEnvs()
  vi.mocked(homedir).mockReset()
  vi.mocked(userInfo).mockReset()
})

function fail(): never {
  throw new Error('ENOENT')
}

it('leaves HOME as it is where there is a home folder', () => {
  vi.mocked(homedir).mockReturnValue('/home/kim')
  ensureHome()
  expect(process.env['HOME']).toBe('')
})

it('takes the folder of the user whom the system knows if HOME is empty', () => {
  vi.mocked(homedir).mockReturnValue('')
  vi.mocked(userInfo).mockReturnValue({ homedir: '/home/kim' } as ReturnType<typeof userInfo>)
  ensureHome()
  expect(process.env['HOME']).toBe('/home/kim')
})

it('takes a private folder of temporary files for a user whom the system does not know', () => {
  const folder = makeFolder()
  vi.stubEnv('TMPDIR', folder)
  vi.mocked(homedir).mockImplementation(fail)
  vi.mocked(userInfo).mockImplementation(fail)
  ensureHome()
  expect(process.env['HOME']).toMatch(/packs-\w+$/)
  expect(process.env['HOME']!.startsWith(folder)).toBe(true)
  expect(statSync(process.env['HOME']!).mode & 0o777).toBe(0o700)
})

it('takes none if others can write to that folder', () => {
  vi.stubEnv('TMPDIR', makeFolder())
  vi.mocked(homedir).mockImplementation(fail)
  vi.mocked(userInfo).mockImplementation(fail)
  ensureHome()
  chmodSync(process.env['HOME']!, 0o777)
  vi.stubEnv('HOME', '')
  ensureHome()
  expect(process.env['HOME']).toBe('/nonexistent')
})
