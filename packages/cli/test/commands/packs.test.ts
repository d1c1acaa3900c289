import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder, runPack } from '../../../test-kit/test/run-pack.ts'

const BODY = `# Logs\n\n${'Every certificate transparency log entry names a certificate transparency log.\n'.repeat(40)}`
const SOURCE = `---\nslug: logs\ntitle: Logs\ndomain: Guides\nsubdomain: Tests\ndifficulty: beginner\n---\n${BODY}`

/** Builds one pack and returns its folder and its document. */
async function buildLogs(): Promise<{ cwd: string; pack: Record<string, unknown> }> {
  const cwd = makeFolder({ 'notes.md': SOURCE })
  expect(await runInProcess(['build', 'notes.md', '-o', '.', '--scheme', 'dense-2'], { cwd })).toMatchObject({
    status: 0,
  })
  return { cwd, pack: JSON.parse(readFileSync(join(cwd, 'logs.pack.json'), 'utf8')) }
}

describe('pack check', () => {
  it('passes a valid pack, by name, in a folder, by a glob and from stdin', async () => {
    const { cwd } = await buildLogs()
    const run = await runInProcess(['check', 'logs.pack.json', '.', '*.json'], { cwd })
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout).toBe('1 pack passes; not signed\n')
    const input = readFileSync(join(cwd, 'logs.pack.json'))
    const json = JSON.parse((await runPack(['check', '-', '--json'], { input })).stdout)
    expect(json).toMatchObject({ ok: true, packs: [{ file: '<stdin>', ok: true }] })
    expect(json.packs[0].checks).toContainEqual({
      name: 'round_trip',
      ok: true,
      message: expect.any(String),
      stated: expect.any(String),
      found: expect.any(String),
    })
  })

  it('lists the failed checks of each bad pack, and checks the others', async () => {
    const { cwd, pack } = await buildLogs()
    writeFileSync(join(cwd, 'counts.pack.json'), JSON.stringify({ ...pack, token_count: 1 }))
    writeFileSync(
      join(cwd, 'text.pack.json'),
      JSON.stringify({ ...pack, content: `${String(pack['content'])}!` }),
    )
    writeFileSync(join(cwd, 'shape.pack.json'), '{"format":"packs/1"}')
    const run = await runInProcess(['check', '.', 'absent.pack.json', '--json'], { cwd })
    expect(run.status).toBe(1)
    const { ok, packs } = JSON.parse(run.stdout) as {
      ok: boolean
      packs: {
        file: string
        ok: boolean
        error?: { code: string }
        checks: { name: string; ok: boolean }[]
      }[]
    }
    expect(ok).toBe(false)
    const failed = packs.map(({ file, checks, error }) => [
      file,
      ...checks.filter((check) => !check.ok).map(({ name }) => name),
      ...(error ? [error.code] : []),
    ])
    expect(failed).toEqual([
      ['counts.pack.json', 'pack_digest', 'token_count'],
      ['logs.pack.json'],
      expect.arrayContaining(['text.pack.json', 'pack_digest', 'round_trip']),
      ['absent.pack.json', 'file_not_found'],
      ['shape.pack.json', 'schema'],
    ])
    const text = await runInProcess(['check', '.'], { cwd })
    expect(text.stdout).toMatch(
      /^3 of 4 packs failed\nfailed counts\.pack\.json\n {2}pack_digest: The pack was changed after it was built \(digest [0-9a-f]{7}…, found [0-9a-f]{7}…\)\n/,
    )
    expect(text.stdout).toMatch(
      /failed shape\.pack\.json\n {2}schema: .*\n {2}hint: Build the pack again from its source\.\n/,
    )
    expect(text.stdout).not.toContain('logs.pack.json')
    expect(text.stdout.match(/hint: build it again from its source/g)).toHaveLength(2)
  })

  it('says how to check a source', async () => {
    const { cwd } = await buildLogs()
    const run = await runInProcess(['check', 'notes.md', 'logs.pack.json'], { cwd })
    expect(run).toMatchObject({ status: 1, stderr: '' })
    expect(run.stdout).toContain(
      'invalid_pack: notes.md is a source, not a pack\n  hint: build it with `pack build`',
    )
  })

  it('refuses control characters in names, and prints each file name on one line', async () => {
    const { pack } = await buildLogs()
    const names = ['title', 'domain', 'subdomain']
    const bad = names.map((name) => [`${name}\n.pack.json`, JSON.stringify({ ...pack, [name]: 'a\u0007b' })])
    const cwd = makeFolder(Object.fromEntries(bad))
    const run = await runInProcess(['check', '.'], { cwd })
    expect(run.status).toBe(1)
    for (const name of names) {
      expect(run.stdout).toContain(
        `failed ${name}\\n.pack.json\n  schema: This is not a pack: ${name} must hold no control character`,
      )
    }
  })

  it('gives the error of a header and its location', async () => {
    const { cwd, pack } = await buildLogs()
    writeFileSync(join(cwd, 'x.pack.json'), JSON.stringify({ ...pack, rosetta: '[DECODE] A=b|A=c' }))
    const run = await runInProcess(['check', 'x.pack.json'], { cwd })
    expect(run.stdout).toContain('\n  header: duplicate term: "A" (duplicate_term, entry 1, offset 13)\n')
  })

  it('reports that there is no pack', async () => {
    const run = await runInProcess(['check', '.', '--json'], { cwd: makeFolder() })
    expect(run.status).toBe(1)
    expect(JSON.parse(run.stdout)).toMatchObject({ ok: false, error: { code: 'no_packs' } })
  })
})

describe('packs that do not match their digests', () => {
  it.each(['inspect', 'preview'])('%s warns about them', async (command) => {
    const { cwd, pack } = await buildLogs()
    writeFileSync(join(cwd, 'body.pack.json'), JSON.stringify({ ...pack, sha256: '0'.repeat(64) }))
    writeFileSync(join(cwd, 'title.pack.json'), JSON.stringify({ ...pack, title: 'Other' }))
    const body = await runInProcess([command, 'body.pack.json'], { cwd })
    expect(body.status).toBe(0)
    expect(body.stderr).toMatch(
      /^warning: body\.pack\.json decodes to a text that does not match its sha256 .+\n/,
    )
    const title = await runInProcess([command, 'title.pack.json', '--json'], { cwd })
    expect(title.status).toBe(0)
    expect(title.stderr).toMatch(/^warning: title\.pack\.json does not match its pack_digest .+\n$/)
  })

  it.each(['inspect', 'preview', 'prompt'])(
    '%s refuses a pack that decodes to more than the largest source',
    async (command) => {
      const { cwd, pack } = await buildLogs()
      const bomb = { ...pack, content: '§'.repeat(5000), rosetta: `[DECODE] §=${'x'.repeat(4000)}` }
      writeFileSync(join(cwd, 'bomb.pack.json'), JSON.stringify(bomb))
      const run = await runInProcess([command, 'bomb.pack.json', '--json'], { cwd })
      expect(run).toMatchObject({ status: 1, stderr: '' })
      expect(JSON.parse(run.stdout)).toMatchObject({
        ok: false,
        error: { code: 'output_too_large', file: 'bomb.pack.json', line: 1, column: 4195 },
      })
    },
  )
})

describe('pack inspect', () => {
  it('shows what each entry saves, as text and as JSON', async () => {
    const { cwd, pack } = await buildLogs()
    const json = JSON.parse((await runInProcess(['inspect', 'logs.pack.json', '--json'], { cwd })).stdout)
    expect(json).toMatchObject({
      ok: true,
      slug: 'logs',
      compression: 'dense-2',
      token_count: pack['token_count'],
      net_savings_pct: pack['net_savings_pct'],
    })
    const entries = json.entries as {
      term: string
      expansion: string
      uses: number
      gross: number
      header: number
      net: number
    }[]
    expect(json.total_entries).toBe(entries.length)
    const [best] = entries
    const content = String(pack['content'])
    expect(best!.uses).toBe(content.split(best!.term).length - 1)
    expect(best!.net).toBe(best!.gross - best!.header)
    const text = await runInProcess(['inspect', 'logs.pack.json'], { cwd })
    expect(text.stdout).toMatch(
      /^logs, [\d,]+ → \d+ tokens: \d+\.\d % less\. With terms: for large models\.\n/,
    )
    expect(text.stdout).toMatch(/^term  stands for +saved  uses$/m)
    expect(text.stdout).toContain(JSON.stringify(best!.expansion.slice(0, 60)).slice(0, -1))
  })

  it('refuses a file that is not a pack, and names it', async () => {
    const cwd = makeFolder({ 'x.pack.json': '{}' })
    const run = await runPack(['inspect', 'x.pack.json'], { cwd })
    expect(run).toMatchObject({ status: 1, stdout: '' })
    expect(run.stderr).toMatch(/^error: x\.pack\.json: /)
  })
})

describe('pack preview', () => {
  it('prints at most a fifth of the content, and nothing else', async () => {
    const { cwd, pack } = await buildLogs()
    const run = await runPack(['preview', 'logs.pack.json'], { cwd })
    expect(run.status).toBe(0)
    expect(run.stdout).not.toBe('')
    expect(String(pack['content']).startsWith(run.stdout)).toBe(true)
    expect(run.stdout.length).toBeLessThan(String(pack['content']).length / 4)
    expect(run.stderr).toMatch(/^\d+ of \d+ tokens, \d+\.\d %\n$/)
    const json = await runInProcess(['preview', 'logs.pack.json', '--json'], { cwd })
    expect(JSON.parse(json.stdout)).toEqual({
      ok: true,
      slug: 'logs',
      preview: true,
      content: run.stdout,
      rosetta: null,
      preview_tokens: pack['preview_tokens'],
      token_count: pack['token_count'],
    })
  })
})
