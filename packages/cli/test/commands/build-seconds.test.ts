import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

// No thread starts in this time, so that no build ends.
const env = { PACK_BUILD_SECONDS: '0.001' }
const MESSAGE = 'took longer than 0.001 s'

function write(): string {
  const head = (slug: string): string =>
    `---\nslug: ${slug}\ntitle: T\ndomain: D\nsubdomain: S\ndifficulty: beginner\n---\n`
  return makeFolder({ 'a.md': `${head('a')}text\n`, 'b.md': `${head('b')}text\n` })
}

describe('PACK_BUILD_SECONDS', () => {
  it('ends builds of pack build', async () => {
    const cwd = write()
    const run = await runInProcess(['build', '.', '--json'], { cwd, env })
    const { ok, packs } = JSON.parse(run.stdout) as { ok: boolean; packs: { messages: unknown[] }[] }
    expect([run.status, ok]).toEqual([1, false])
    expect(packs.map(({ messages }) => messages)).toMatchObject([
      [{ file: 'a.md', rule: 'build_timeout', message: `Building a.md ${MESSAGE}` }],
      [{ file: 'b.md', rule: 'build_timeout', message: `Building b.md ${MESSAGE}` }],
    ])
    expect(existsSync(join(cwd, 'dist'))).toBe(false)
  })

  it.each([['publish'], ['publish', '--dry-run'], ['publish', '--release', 'r']])(
    'ends builds of pack %s %s',
    async (...args) => {
      const cwd = write()
      const run = await runInProcess([...args, 'a.md', '--json'], { cwd, env })
      expect(run.status).toBe(1)
      expect(JSON.parse(run.stdout)).toMatchObject({
        ok: false,
        published: [
          { slug: 'a', status: 'failed', code: 'build_timeout', message: `Building a.md ${MESSAGE}` },
        ],
      })
      expect((await runInProcess([...args, 'a.md'], { cwd })).status).toBe(0)
    },
  )

  it('ends the build of pack inspect', async () => {
    const cwd = write()
    await runInProcess(['build', 'a.md'], { cwd })
    const inspected = await runInProcess(['inspect', 'dist/a.pack.json', '--json'], { cwd, env })
    expect(inspected.status).toBe(1)
    expect(JSON.parse(inspected.stdout)).toMatchObject({ error: { code: 'build_timeout' } })
  })

  it.each(['0', '-1', '86401', 'ten', '1e3'])('refuses %s', async (seconds) => {
    const cwd = write()
    const run = await runInProcess(['build', 'a.md'], { cwd, env: { PACK_BUILD_SECONDS: seconds } })
    expect(run.status).toBe(2)
    expect(run.stderr).toContain(`PACK_BUILD_SECONDS is not a number of seconds: "${seconds}"`)
  })
})
