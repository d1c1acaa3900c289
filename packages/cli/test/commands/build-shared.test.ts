import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode, parseRosetta, systemPrompt } from '@packs/codec'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { runInProcess, type Printed } from '../run-in-process.ts'
import { makeFolder } from '../run-pack.ts'

const VERBS = ['reads', 'writes', 'signs', 'trusts', 'audits', 'keeps', 'joins', 'leaves']

function writeBody(name: string): string {
  const lines = VERBS.map(
    (verb) =>
      `- ${name}${verb} certificate transparency log ${verb}${name} of a signed certificate timestamp\n`,
  )
  return `# ${name}\n\n${lines.join('')}`
}

function writeSource(name: string, domain: string, fields = ''): string {
  return `---\nslug: ${name}\ntitle: A\ndomain: ${domain}\nsubdomain: S\ndifficulty: expert\n${fields}---\n${writeBody(name)}`
}

const SOURCES = {
  'a.md': writeSource('alpha', 'Web Security'),
  'b.md': writeSource('beta', 'Web Security'),
  'c.md': writeSource('gamma', 'Cooking'),
  'd.md': writeSource('delta', 'Web Security'),
}

interface Pack {
  readonly content: string
  readonly rosetta: string
  readonly token_count: number
  readonly rosetta_tokens: number
}

interface Shared {
  readonly loads: readonly { readonly packs: number; readonly apart: number; readonly shared: number }[]
}

const readPack = (cwd: string, slug: string): Pack =>
  JSON.parse(readFileSync(join(cwd, `dist/${slug}.pack.json`), 'utf8')) as Pack
const sharedOf = (run: Printed): Shared => (JSON.parse(run.stdout) as { shared: Shared }).shared

describe('pack build --shared-rosetta', () => {
  it('builds the packs of a domain with one header, and the others unchanged', async () => {
    const cwd = makeFolder(SOURCES)
    const run = await runInProcess(['build', '.', '--json', '--shared-rosetta', 'web-security'], { cwd })
    expect(run).toMatchObject({ status: 0, stderr: '' })
    const header = readFileSync(join(cwd, 'dist/web-security.rosetta'), 'utf8')
    const members = ['alpha', 'beta', 'delta'].map((slug) => readPack(cwd, slug))
    for (const [at, pack] of members.entries()) {
      const body = writeBody(['alpha', 'beta', 'delta'][at]!)
      expect(decode(pack.content, header)).toBe(body)
      expect(decode(pack.content, pack.rosetta)).toBe(body)
      expect(parseRosetta(header).entries).toEqual(
        expect.arrayContaining([...parseRosetta(pack.rosetta).entries]),
      )
    }
    const { entries } = parseRosetta(header)
    expect(sharedOf(run)).toMatchObject({
      domain: 'web-security',
      file: 'dist/web-security.rosetta',
      status: 'written',
      entries: entries.length,
      rosetta_tokens: countTokens(header),
      packs: ['alpha', 'beta', 'delta'],
      pays_from: 2,
    })

    await runInProcess(['build', '.', '-o', 'apart'], { cwd })
    const apart = ['alpha', 'beta', 'delta'].map(
      (slug) => JSON.parse(readFileSync(join(cwd, `apart/${slug}.pack.json`), 'utf8')) as Pack,
    )
    for (const { packs, apart: paidApart, shared } of sharedOf(run).loads) {
      const loaded = members.slice(0, packs)
      const contents = loaded.reduce((sum, { content }) => sum + countTokens(content), 0)
      expect(shared).toBe(contents + countTokens(systemPrompt(loaded).rosetta))
      const paid = apart.slice(0, packs).map((pack) => pack.token_count + pack.rosetta_tokens)
      expect(paidApart).toBe(paid.reduce((sum, tokens) => sum + tokens, 0))
    }
    expect(readFileSync(join(cwd, 'dist/gamma.pack.json'))).toEqual(
      readFileSync(join(cwd, 'apart/gamma.pack.json')),
    )
  })

  it('prints the tokens for loading some or all of the packs', async () => {
    const cwd = makeFolder(SOURCES)
    const run = await runInProcess(['build', '.', '--shared-rosetta', 'Web Security'], { cwd })
    expect(run.status).toBe(0)
    expect(run.stdout).toMatch(/^one header for 3 packs of web-security: \d+ entries, \d+ tokens$/m)
    expect(run.stdout).toMatch(/^sharing pays from 2 packs on, loaded in the order above$/m)
    expect(run.stderr).toContain('wrote dist/web-security.rosetta\n')
  })

  it('reports that sharing does not pay', async () => {
    const cwd = makeFolder({ 'a.md': SOURCES['a.md'] })
    const run = await runInProcess(['build', '.', '--shared-rosetta', 'web-security'], { cwd })
    expect(run.status).toBe(0)
    expect(run.stdout).toMatch(
      /^sharing does not pay: \d+ tokens for 1 pack with one header, \d+ built apart$/m,
    )
  })

  it('builds the same in worker threads', async () => {
    const padding = Array.from({ length: 40_000 }, (_, at) => `x${at * 7919}\n`).join('')
    const big = `${writeSource('omega', 'Cooking')}\`\`\`\n${padding}\`\`\`\n`
    const files = { ...SOURCES, 'e.md': big, 'f.md': writeSource('sigma', 'Cooking') }
    const cwd = makeFolder(files)
    const run = await runInProcess(['build', '.', '--json', '--shared-rosetta', 'cooking'], { cwd })
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(sharedOf(run)).toMatchObject({ domain: 'cooking', packs: ['gamma', 'omega', 'sigma'] })
    const header = readFileSync(join(cwd, 'dist/cooking.rosetta'), 'utf8')
    expect(decode(readPack(cwd, 'sigma').content, header)).toBe(writeBody('sigma'))
  })

  it('leaves out packs of scheme none', async () => {
    const cwd = makeFolder({
      ...SOURCES,
      'e.md': writeSource('plain', 'Web Security', 'compression: none\n'),
    })
    const run = await runInProcess(['build', '.', '--json', '--shared-rosetta', 'web-security'], { cwd })
    expect(run.status).toBe(0)
    expect(sharedOf(run)).toMatchObject({ packs: ['alpha', 'beta', 'delta'] })
    expect(readPack(cwd, 'plain')).toMatchObject({ rosetta: '[DECODE]', content: writeBody('plain') })
  })

  it('writes nothing in a dry run', async () => {
    const cwd = makeFolder(SOURCES)
    const run = await runInProcess(
      ['build', '.', '--dry-run', '--json', '--shared-rosetta', 'web-security'],
      {
        cwd,
      },
    )
    expect(run.status).toBe(0)
    expect(sharedOf(run)).toMatchObject({ file: null, status: 'dry-run' })
    expect(existsSync(join(cwd, 'dist'))).toBe(false)
  })

  it('lists the domains of the sources for an unknown domain', async () => {
    const cwd = makeFolder(SOURCES)
    const run = await runInProcess(['build', '.', '--json', '--shared-rosetta', 'Gardening'], { cwd })
    expect(run.status).toBe(1)
    expect(JSON.parse(run.stdout)).toMatchObject({
      ok: false,
      error: {
        code: 'unknown_domain',
        message: 'no source has the domain "Gardening"',
        hint: 'the sources have these domains: cooking (Cooking), web-security (Web Security)',
      },
    })
    expect(existsSync(join(cwd, 'dist'))).toBe(false)
  })

  it('builds the other domains if the packs of one have different schemes', async () => {
    const cwd = makeFolder({
      ...SOURCES,
      'b.md': writeSource('beta', 'Web Security', 'compression: dense-1\n'),
    })
    const run = await runInProcess(['build', '.', '--shared-rosetta', 'web-security'], { cwd })
    expect(run.status).toBe(1)
    expect(run.stderr).toContain(
      'b.md:7:14 error Packs that share a header need one compression: dense-1 here, glossary-1 at a.md:1:1',
    )
    expect(readdirSync(join(cwd, 'dist'))).toEqual(['.packs.json', 'gamma.pack.json'])
  })

  it('builds the rest of a domain if a source cannot be read', async () => {
    const cwd = makeFolder({ ...SOURCES, 'b.md': '---\ndomain: Web Security\n' })
    const run = await runInProcess(['build', '.', '--json', '--shared-rosetta', 'web-security'], { cwd })
    expect(run.status).toBe(1)
    expect(sharedOf(run)).toMatchObject({ packs: ['alpha', 'delta'] })
  })

  it.each([
    [['-o', '-'], '--shared-rosetta cannot be used with -o -'],
    [['--watch'], '--shared-rosetta cannot be used with --watch'],
  ])('cannot be used with %j', async (args, message) => {
    const cwd = makeFolder(SOURCES)
    const run = await runInProcess(['build', 'a.md', '--shared-rosetta', 'web-security', ...args], { cwd })
    expect(run.status).toBe(2)
    expect(run.stderr).toContain(message)
  })
})
