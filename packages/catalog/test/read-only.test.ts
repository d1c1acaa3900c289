import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openCatalog, type Catalog } from '@packs/catalog'
import { expect, it, onTestFinished } from 'vitest'
import { makeVersion, actor } from '../../test-kit/test/make-version.ts'

const PROGRAM = fileURLToPath(new URL('processes/read-only.ts', import.meta.url))

/** Creates a catalog with a pack and a job, in a folder that all users can read. */
async function makeCatalog(): Promise<{ folder: string; url: string; catalog: Catalog }> {
  const folder = mkdtempSync(join(tmpdir(), 'packs-read-only-'))
  chmodSync(folder, 0o755)
  onTestFinished(() => {
    chmodSync(folder, 0o755)
    rmSync(folder, { recursive: true, force: true })
  })
  const url = join(folder, 'catalog.sqlite')
  const catalog = await openCatalog({ url })
  await catalog.packs.commit([makeVersion({ slug: 'tls' })])
  const job = { id: 'one', slug: 'tls', attempts: 1, owner: null, release: null, data: null }
  await catalog.jobs.accept([], () => [{ ...job, state: 'waiting' }])
  return { folder, url, catalog }
}

/** Reads the catalog in another process after making its folder read-only. */
function readInReadOnlyFolder(folder: string): Record<string, unknown> {
  for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o444)
  chmodSync(folder, 0o555)
  const text = execFileSync(process.execPath, ['-C', 'source', PROGRAM, join(folder, 'catalog.sqlite')], {
    encoding: 'utf8',
  })
  return JSON.parse(text) as Record<string, unknown>
}

const FOUND = { versions: ['1.0.0'], damaged: [], jobs: 1, write: 'catalog_unavailable' }

it('reads a closed file in a read-only folder without creating files', async () => {
  const { folder, catalog } = await makeCatalog()
  await catalog.close()
  const before = readdirSync(folder)
  expect(readInReadOnlyFolder(folder)).toEqual(FOUND)
  expect(readdirSync(folder)).toEqual(before)
})

it('reads changes in the log of a writer, in a read-only folder', async () => {
  const { folder, url, catalog } = await makeCatalog()
  onTestFinished(() => catalog.close())
  expect(statSync(`${url}-wal`).size).toBeGreaterThan(0)
  expect(readInReadOnlyFolder(folder)).toEqual(FOUND)
})

it('explains that the log contains newer changes but cannot be read', async () => {
  const { folder, url, catalog } = await makeCatalog()
  onTestFinished(() => catalog.close())
  const copy = join(folder, 'copy')
  execFileSync('sh', ['-c', 'mkdir "$2" && cp "$1" "$1-wal" "$2"', 'sh', url, copy])
  expect(readInReadOnlyFolder(copy)).toEqual({
    code: 'catalog_unavailable',
    message:
      'The database file cannot be read in place: this user cannot write to its folder, and its log contains newer changes',
    hint: expect.stringContaining('vacuum into'),
  })
  chmodSync(copy, 0o755)
})

it('reads beside a writer, but neither writes nor creates a file', async () => {
  const { url, catalog } = await makeCatalog()
  onTestFinished(() => catalog.close())
  const reader = await openCatalog({ url, readOnly: true })
  onTestFinished(() => reader.close())
  await catalog.packs.commit([makeVersion({ slug: 'ssh' })])
  expect(await reader.packs.latest('ssh')).toMatchObject({ version: '1.0.0' })
  await expect(reader.packs.yank('ssh', '1.0.0', 'x', actor)).rejects.toMatchObject({
    code: 'catalog_unavailable',
    message: expect.stringContaining('cannot be written by this user'),
  })
  const missing = `${url}.missing`
  await expect(openCatalog({ url: missing, readOnly: true })).rejects.toMatchObject({
    code: 'catalog_unavailable',
  })
  expect(existsSync(missing)).toBe(false)
})

it('names the cause if there is no file, without repeating the address', async () => {
  const error: unknown = await openCatalog({ url: 'postgres//ada:hunter2@db/packs', readOnly: true }).catch(
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({
    code: 'catalog_unavailable',
    message: 'There is no SQLite file at this path',
    hint: expect.stringContaining('does not begin with postgres://') as string,
  })
  expect(JSON.stringify(error)).not.toContain('hunter2')
})
