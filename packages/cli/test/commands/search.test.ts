import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startMcp } from '../../../server/test/mcp/start-mcp.ts'
import { loadTokenizer } from '@packs/codec/compress'
import { describe, expect, it } from 'vitest'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const EXPIRY = '## Key expiration\n\nA key with a time to live is removed when its timeout has passed.\n'
const REDIS = `# Redis\n\nAn in-memory store.\n\n${EXPIRY}\n## Persistence\n\nSnapshots and an append-only file survive a restart.\n`
const TEA = '---\ntitle: Green tea\ndomain: Food\ndifficulty: beginner\n---\n# Green tea\n\nSteam it.\n'

/** Builds packs, and returns a function that runs `pack search`. */
async function makePacks(): Promise<{
  readonly cwd: string
  readonly search: (...args: string[]) => Promise<Printed>
}> {
  const cwd = makeFolder({ 'redis.md': REDIS, 'tea.md': TEA })
  expect(await runInProcess(['build'], { cwd })).toMatchObject({ status: 0 })
  return { cwd, search: (...args) => runInProcess(['search', ...args], { cwd }) }
}

describe('pack search', () => {
  it('finds sections in dist, best first, with their tokens', async () => {
    const { search } = await makePacks()
    const tokenizer = await loadTokenizer('o200k_base')
    const run = await search('how do I set a key expiration')
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout.split('\n').slice(0, 2)).toEqual([
      `1  Redis › Key expiration  redis#key-expiration  ${tokenizer.countTokens(`${EXPIRY}\n`)} tokens`,
      '   A key with a time to live is removed when its timeout has passed.',
    ])
  })

  it('finds packs by their titles, and in files that are named', async () => {
    const { search } = await makePacks()
    for (const input of ['dist/tea.pack.json', 'tea.md']) {
      const run = await search('green tea', input)
      expect(run.stdout).toMatch(/^1 {2}Green tea {2}tea\S* {2}\d+ tokens\n/)
    }
  })

  it('prints sections with --json', async () => {
    const { search } = await makePacks()
    const run = await search('key expiration', '--json', '--limit', '1')
    expect(JSON.parse(run.stdout)).toEqual({
      ok: true,
      sections: [
        {
          pack: 'redis',
          version: '0.0.0',
          pack_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
          title: 'Redis',
          section: 'key-expiration',
          path: ['Redis', 'Key expiration'],
          tokens: expect.any(Number),
          snippet: 'A key with a time to live is removed when its timeout has passed.',
          locked: false,
        },
      ],
      corrected: null,
    })
  })

  it('asks a catalog', async () => {
    const server = await startMcp()
    const env = { XDG_CACHE_HOME: makeFolder(), PACK_KEY: await server.addKey('free', 100) }
    const run = await runInProcess(['search', 'ACME', '--url', server.origin], { env })
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout).toMatch(
      /^1 {2}TLS certificates › .* {2}tls-certificates#\S+ {2}\d+ tokens {2}locked\n/,
    )
  })

  it('corrects a word that no pack has', async () => {
    const { search } = await makePacks()
    const run = await search('snapshtos')
    expect(run.stderr).toBe('Showing results for "snapshots"\n')
    expect(run.stdout).toContain('redis#persistence')
  })

  it('separates sections, and shows no bars of tables and no comments', async () => {
    const text =
      '# One\n\n<!-- hidden -->\n\n| heron | inlet |\n| --- | --- |\n| jetty | kiosk |\n\n## Two\n\nA heron.\n'
    const { stdout } = await runInProcess(['search', 'heron', '.'], { cwd: makeFolder({ 'a.md': text }) })
    expect(stdout).toMatch(/\n\n2 {2}/)
    expect(stdout).toContain('heron')
    expect(stdout).not.toMatch(/\||---|hidden/)
  })

  it('gives advice if nothing is found', async () => {
    const { search } = await makePacks()
    const run = await search('qqqq zzzz')
    expect(run).toMatchObject({ status: 0, stdout: '' })
    expect(run.stderr).toMatch(/^No results for "qqqq zzzz" in .+\nhint: use fewer words/)
  })

  it('names damaged packs and searches the others', async () => {
    const { cwd, search } = await makePacks()
    const pack = JSON.parse(readFileSync(join(cwd, 'dist/tea.pack.json'), 'utf8'))
    writeFileSync(join(cwd, 'dist/tea.pack.json'), JSON.stringify({ ...pack, content: 'changed' }))
    writeFileSync(join(cwd, 'dist/cut.pack.json'), '{"format":')
    const run = await search('key expiration')
    expect(run.status).toBe(0)
    expect(run.stdout).toContain('redis#key-expiration')
    expect(run.stderr).toContain('warning: dist/cut.pack.json is skipped (')
    expect(run.stderr).toContain('warning: dist/tea.pack.json is skipped (digest_mismatch)')
  })

  it.each([
    [['', 'dist'], 'usage', 'the query must have words'],
    [[' \n'], 'usage', 'the query must have words'],
    [['x'.repeat(401)], 'usage', 'the query must have at most 400 characters'],
    [['"a" "b" "c" "d" "e"'], 'usage', 'the query must have at most 4 phrases'],
    [['key', 'expiration'], 'usage', 'expiration does not exist'],
    [['dist', 'key', 'expiration', 'dist'], 'usage', 'the words come first, in quotes'],
    [['key expiration', 'missing'], 'file_not_found', 'missing does not exist'],
    [['dist', 'key expiration'], 'usage', 'the words come first, in quotes, then the files'],
    [['./dist'], 'usage', 'the words come first, in quotes, then the files'],
  ])('refuses %j', async (args, code, message) => {
    const { search } = await makePacks()
    const { status, stdout } = await search(...args, '--json')
    expect(status).toBe(code === 'usage' ? 2 : 1)
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string; hint: string } }
    expect(error.code).toBe(code)
    expect(error.message).toContain(message)
    expect(error.hint).not.toBe('')
  })

  it('says what to do where there are no packs', async () => {
    const run = await runInProcess(['search', 'key'], { cwd: makeFolder(), env: { PACK_URL: '' } })
    expect(run.status).toBe(2)
    expect(run.stderr).toMatch(/no packs are named\nhint: name a folder/)
  })
})
