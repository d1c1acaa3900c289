import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { restore } from '@packs/codec'
import { parsePack } from '@packs/codec/pack'
import { openVersion } from '@packs/server'
import { expect, it, onTestFinished, vi } from 'vitest'
import { host } from '../../../cli/src/server/host.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

it('reads the document of a published version, and fails for one that does not exist', async () => {
  vi.stubEnv('DATABASE_URL', '')
  onTestFinished(() => void vi.unstubAllEnvs())
  const cwd = makeFolder({ 'harbours.md': '---\ntitle: Harbours\n---\n\nThe gate opens.\n' })
  const data = join(cwd, 'data')
  expect((await runInProcess(['publish', 'harbours.md', '--data', data], { cwd })).status).toBe(0)
  const pack = await openVersion(host, 'harbours@1.0.0', data)
  expect(pack).toMatchObject({ slug: 'harbours', version: '1.0.0', content: 'The gate opens.\n' })
  expect(restore(pack)).toBe('\nThe gate opens.\n')
  expect(parsePack(JSON.stringify(pack))).toEqual(pack)
  await expect(openVersion(host, 'harbours@2.0.0', data)).rejects.toMatchObject({ code: 'unknown_version' })
  await expect(openVersion(host, 'harbours', data)).rejects.toMatchObject({ code: 'usage' })
  rmSync(data, { recursive: true })
  await expect(openVersion(host, 'harbours@1.0.0', data)).rejects.toMatchObject({ code: 'unknown_version' })
})
