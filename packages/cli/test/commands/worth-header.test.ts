import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

/** A header saves some tokens here, but fewer than 40. */
const TEXT = `# Hats\n\n${'Every velvet grey hat entry names a velvet grey hat.\n'.repeat(8)}`
const ALL = '{"worthHeader":{"percent":0,"tokens":0}}'

async function build(cwd: string, ...options: string[]): Promise<{ compression: string; stderr: string }> {
  const { status, stderr } = await runInProcess(['build', 'a.md', '--scheme', 'dense-2', ...options], { cwd })
  expect(status).toBe(0)
  const pack = JSON.parse(readFileSync(join(cwd, 'dist/a.pack.json'), 'utf8')) as { compression: string }
  return { compression: pack.compression, stderr }
}

describe('what a header must save', () => {
  it('is 2 % and 40 tokens, and is set by the configuration', async () => {
    const cwd = makeFolder({ 'a.md': TEXT, 'packs.config.json': ALL })
    expect((await build(cwd)).compression).toBe('dense-2')
    const plain = await build(cwd, '--config', 'none', '--verbose')
    expect(plain.compression).toBe('none')
    expect(plain.stderr).toContain('no dense-2 header would save 2 % and 40 tokens')
    writeFileSync(join(cwd, 'packs.config.json'), '{"worthHeader":{"percent":99.5,"tokens":0}}')
    const most = await build(cwd, '--verbose')
    expect(most.compression).toBe('none')
    expect(most.stderr).toContain('no dense-2 header would save 99.5 % after its own cost')
  })

  it('does not matter to inspect, which rebuilds a pack with a header as it was', async () => {
    const cwd = makeFolder({ 'a.md': TEXT, 'packs.config.json': ALL })
    await build(cwd)
    const { stdout } = await runInProcess(['inspect', 'dist/a.pack.json', '--json'], { cwd })
    expect(JSON.parse(stdout)).toMatchObject({ rebuild: { scheme: 'dense-2', same: true } })
  })
})
