import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadTokenizer } from '@packs/codec/compress'
import { describe, expect, it } from 'vitest'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder, runPack } from '../../../test-kit/test/run-pack.ts'

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

interface Found {
  readonly data: {
    readonly pack: { readonly slug: string }
    readonly section: { readonly id: string } | null
  }[]
  readonly meta: { readonly total: number }
}

const listHits = ({ stdout }: Printed): string[] =>
  (JSON.parse(stdout) as Found).data.map(({ pack, section }) => `${pack.slug}#${section?.id ?? ''}`)

describe('pack search', () => {
  it('finds sections in the output folder, best first, with their tokens', async () => {
    const { search } = await makePacks()
    const tokenizer = await loadTokenizer('o200k_base')
    const run = await search('how do I set a key expiration')
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout.split('\n').slice(0, 2)).toEqual([
      `1  Redis › Key expiration  redis#key-expiration  ${tokenizer.countTokens(`${EXPIRY}\n`)} tokens  dist/redis.pack.json`,
      '   A key with a time to live is removed when its timeout has passed.',
    ])
  })

  it('finds packs as a whole by their titles, and in files that are named', async () => {
    const { search } = await makePacks()
    const run = await search('green tea', 'dist/tea.pack.json')
    expect(run.stdout).toMatch(/^1 {2}Green tea {2}tea {2}\d+ tokens {2}dist\/tea\.pack\.json\n/)
  })

  it('prints the fields of the API with --json, and the file', async () => {
    const { search } = await makePacks()
    const run = await search('key expiration', '--json', '--limit', '1')
    expect(JSON.parse(run.stdout)).toEqual({
      ok: true,
      data: [
        {
          pack: {
            id: expect.stringMatching(/^pk_/),
            slug: 'redis',
            title: 'Redis',
            version: '0.0.0',
            domain_slug: 'general',
            difficulty: 'intermediate',
            token_count: expect.any(Number),
            rosetta_tokens: 0,
            file: 'dist/redis.pack.json',
          },
          section: {
            id: 'key-expiration',
            title: 'Key expiration',
            path: ['Redis', 'Key expiration'],
            tokens: expect.any(Number),
          },
          snippet: 'A key with a time to live is removed when its timeout has passed.',
          matched: expect.arrayContaining(['heading', 'text']),
          also: [],
        },
      ],
      meta: {
        total: expect.any(Number),
        page: 1,
        limit: 1,
        next: null,
        query: { corrected: null },
      },
    })
  })

  it('filters by domain and difficulty', async () => {
    const { search } = await makePacks()
    expect(listHits(await search('steam it', '--json'))).toContain('tea#green-tea')
    expect(listHits(await search('steam it', '--json', '--domain', 'general'))).toEqual([])
    expect(listHits(await search('steam it', '--json', '--difficulty', 'expert'))).toEqual([])
  })

  it('corrects a word that no pack has', async () => {
    const { search } = await makePacks()
    const run = await search('snapshtos')
    expect(run.stderr).toBe('Showing results for "snapshots"\n')
    expect(run.stdout).toContain('redis#persistence')
  })

  it('gives advice if nothing is found', async () => {
    const { search } = await makePacks()
    const run = await search('qqqq zzzz')
    expect(run).toMatchObject({ status: 0, stdout: '' })
    expect(run.stderr).toMatch(/^No results for "qqqq zzzz"\nhint: use fewer words/)
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
    const { meta } = JSON.parse((await search('key', '--json')).stdout)
    expect(meta.skipped).toMatchObject([{ file: 'dist/cut.pack.json' }, { code: 'digest_mismatch' }])
    const none = await search('key', 'dist/cut.pack.json', '--json')
    expect(none.status).toBe(1)
    expect(JSON.parse(none.stdout)).toMatchObject({ ok: false, error: { code: 'no_packs' } })
  })

  it.each([
    [['', 'dist'], 'usage', 'the query is empty'],
    [[' \n'], 'usage', 'the query is empty'],
    [['x'.repeat(401)], 'usage', 'the query has 401 characters'],
    [['"a" "b" "c" "d" "e"'], 'usage', 'the query has 5 phrases'],
    [['key', 'expiration'], 'file_not_found', 'expiration does not exist'],
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
    const run = await runInProcess(['search', 'key'], { cwd: makeFolder() })
    expect(run.status).toBe(1)
    expect(run.stderr).toContain('there is no folder dist')
  })

  it('reads a pack from stdin', async () => {
    const { cwd } = await makePacks()
    const input = readFileSync(join(cwd, 'dist/redis.pack.json'))
    const run = await runPack(['search', 'persistence', '-'], { cwd, input })
    expect(run.stdout).toContain('redis#persistence')
  })
})
