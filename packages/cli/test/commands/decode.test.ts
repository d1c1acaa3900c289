import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { restore } from '@packs/codec'
import { serializePack } from '@packs/codec/internal'
import { buildPack, type Pack, parseSource } from '@packs/codec/pack'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Printed, runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeVersion } from '../../../test-kit/test/make-version.ts'
import { makeFolder, runPack, startPack } from '../../../test-kit/test/run-pack.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'

const BODY = '\uFEFF# machine learning\r\n\r\nSaid: "machine learning", no newline at the end 🙂'
const SHA256 = createHash('sha256').update(BODY).digest('hex')

function packOf(fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    format: 'packs/1',
    slug: 'ml',
    content: BODY.replaceAll('machine learning', 'ML'),
    rosetta: '[DECODE] ML=machine learning',
    sha256: SHA256,
    ...fields,
  })
}

describe('pack decode', () => {
  it('returns the source byte for byte, from a file, from stdin, and into a file', async () => {
    const cwd = makeFolder({ 'ml.pack.json': packOf() })
    expect((await runPack(['decode', 'ml.pack.json'], { cwd })).bytes.equals(Buffer.from(BODY))).toBe(true)
    expect((await runPack(['decode', '-'], { cwd, input: packOf() })).bytes.equals(Buffer.from(BODY))).toBe(
      true,
    )
    const run = await runInProcess(['decode', 'ml.pack.json', '-o', 'ml.md'], { cwd })
    expect(run).toMatchObject({ status: 0, stdout: '', stderr: '' })
    expect(readFileSync(join(cwd, 'ml.md')).equals(Buffer.from(BODY))).toBe(true)
  })

  it('describes the text as JSON, and includes it without -o', async () => {
    const cwd = makeFolder({ 'ml.pack.json': packOf() })
    const described = { ok: true, slug: 'ml', bytes: Buffer.byteLength(BODY), sha256: SHA256 }
    const inline = await runInProcess(['decode', 'ml.pack.json', '--json'], { cwd })
    expect(JSON.parse(inline.stdout)).toEqual({ ...described, file: null, text: BODY })
    const written = await runInProcess(['decode', 'ml.pack.json', '-o', 'ml.md', '--json'], { cwd })
    expect(JSON.parse(written.stdout)).toEqual({ ...described, file: 'ml.md' })
  })

  it.each([
    ['a file that is not JSON', 'nonsense', 'invalid_pack'],
    ['a JSON array', '[]', 'invalid_pack'],
    ['another format', packOf({ format: 'packs/3' }), 'invalid_pack'],
    ['no content', packOf({ content: undefined }), 'invalid_pack'],
    ['a preview', packOf({ rosetta: null, preview: true }), 'invalid_pack'],
    ['an invalid digest', packOf({ sha256: 'abc' }), 'invalid_pack'],
    ['a changed text', packOf({ content: 'ML!' }), 'digest_mismatch'],
    ['no marker', packOf({ rosetta: 'ML=machine learning' }), 'no_marker'],
    ['duplicate terms', packOf({ rosetta: '[DECODE] ML=a|ML=b' }), 'duplicate_term'],
    ['a pair without =', packOf({ rosetta: '[DECODE] ML' }), 'missing_equals'],
    ['an escape without a letter', packOf({ rosetta: '[DECODE] ML=a\\' }), expect.stringContaining('escape')],
    ['nested expansions that explode', packOf({ rosetta: explode() }), 'nesting_too_large'],
    ['a bomb', packOf(bomb()), 'output_too_large'],
  ])('refuses %s with status 1 and writes nothing', async (_, input, code) => {
    const cwd = makeFolder({ 'x.pack.json': input })
    const json = await runInProcess(['decode', 'x.pack.json', '-o', 'x.md', '--json'], { cwd })
    expect(json.status).toBe(1)
    expect(JSON.parse(json.stdout)).toEqual({
      ok: false,
      error: expect.objectContaining({ code, hint: expect.stringMatching(/./), file: 'x.pack.json' }),
    })
    expect(readdirSync(cwd)).toEqual(['x.pack.json'])
    expect(await runInProcess(['decode', 'x.pack.json'], { cwd })).toMatchObject({ status: 1, stdout: '' })
  })

  it('gives the location of an error in the pack, as text and as JSON', async () => {
    const cwd = makeFolder({
      'header.pack.json': packOf({ rosetta: '[DECODE] ML=a|ML=b' }),
      'nesting.pack.json': packOf({ rosetta: explode() }),
      'bomb.pack.json': packOf(bomb('one\r\ntwo\n')),
    })
    const locations = {
      header: [{ part: 'rosetta', offset: 14, entry: 1 }, 'duplicate_term: rosetta, entry 1, offset 14'],
      nesting: [
        { part: 'expansion', offset: 25, entry: 32 },
        'nesting_too_large: expansion, entry 32, offset 25',
      ],
      bomb: [
        { part: 'content', offset: 16_786, line: 3, column: 16_778 },
        'output_too_large: content, line 3, column 16778, offset 16786',
      ],
    } as const
    for (const [name, [location, shown]] of Object.entries(locations)) {
      const json = await runInProcess(['decode', `${name}.pack.json`, '--json'], { cwd })
      expect(JSON.parse(json.stdout).error).toMatchObject({ file: `${name}.pack.json`, ...location })
      const text = await runInProcess(['decode', `${name}.pack.json`], { cwd })
      expect(text.stderr).toMatch(new RegExp(`^error: ${name}\\.pack\\.json: .+ \\(${shown}\\)\nhint: .+\n$`))
      expect(text.stderr).not.toContain('maxOutput')
    }
  })

  it('warns about a pack without a digest', async () => {
    const cwd = makeFolder({ 'x.pack.json': packOf({ sha256: undefined }) })
    const run = await runInProcess(['decode', 'x.pack.json'], { cwd })
    expect(run).toMatchObject({ status: 0, stdout: BODY })
    expect(run.stderr).toBe('warning: x.pack.json has no sha256, so its text could not be checked\n')
  })

  describe('of a source with front matter', () => {
    const FRONT = '\uFEFF---\r\nslug: page\r\nweight: 7\t# for the site\r\n---\r\n'
    const TEXT = '\r\n# Page\r\n\r\nSaid once, no newline at the end 🙂'
    const FILE = Buffer.from(FRONT + TEXT)

    async function buildPage(): Promise<string> {
      const cwd = makeFolder({ 'page.md': FILE })
      expect(await runInProcess(['build', 'page.md', '-o', '.'], { cwd })).toMatchObject({ status: 0 })
      return cwd
    }

    /** Decodes with stderr as a terminal. */
    async function decodeOnTerminal(cwd: string, ...args: string[]): Promise<Printed> {
      const before = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY')
      Object.defineProperty(process.stderr, 'isTTY', { value: true, configurable: true })
      try {
        return await runInProcess(['decode', ...args], { cwd })
      } finally {
        if (before === undefined) Reflect.deleteProperty(process.stderr, 'isTTY')
        else Object.defineProperty(process.stderr, 'isTTY', before)
      }
    }

    it('gives the body and says so on a terminal, and the whole file where asked for', async () => {
      const cwd = await buildPage()
      expect(await decodeOnTerminal(cwd, 'page.pack.json')).toEqual({
        status: 0,
        stdout: TEXT,
        stderr:
          'page.pack.json has front matter, which is not printed; --with-front-matter gives the whole file\n',
      })
      expect(await runPack(['decode', 'page.pack.json'], { cwd })).toMatchObject({ stdout: TEXT, stderr: '' })
      const whole = await runPack(['decode', 'page.pack.json', '--with-front-matter'], { cwd })
      expect(whole).toMatchObject({ status: 0, stderr: '' })
      expect(whole.bytes.equals(FILE)).toBe(true)
      const written = ['decode', 'page.pack.json', '--with-front-matter', '-o', 'copy.md', '--json']
      const json = JSON.parse((await runInProcess(written, { cwd })).stdout) as unknown
      const sha256 = createHash('sha256').update(FILE).digest('hex')
      expect(json).toEqual({
        ok: true,
        slug: 'page',
        file: 'copy.md',
        bytes: FILE.length,
        sha256,
        front_matter: true,
      })
      expect(readFileSync(join(cwd, 'copy.md')).equals(FILE)).toBe(true)
    })

    it('refuses front matter that was changed, or is no text', async () => {
      const cwd = await buildPage()
      const pack = JSON.parse(readFileSync(join(cwd, 'page.pack.json'), 'utf8')) as object
      const changed = JSON.stringify({ ...pack, front_matter: '---\nslug: other\n---\n' })
      const run = await runPack(['decode', '-', '--with-front-matter', '-o', 'x.md'], { cwd, input: changed })
      expect(run).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('does not match its pack_digest'),
      })
      const list = await runPack(['decode', '-'], { input: packOf({ front_matter: [] }) })
      expect(list).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringContaining('invalid front_matter: []'),
      })
      expect(existsSync(join(cwd, 'x.md'))).toBe(false)
    })

    it('warns where a document is too incomplete to check its front matter', async () => {
      const input = packOf({ front_matter: FRONT })
      const run = await runPack(['decode', '-', '--with-front-matter'], { input })
      expect(run).toMatchObject({ status: 0, stdout: FRONT + BODY })
      expect(run.stderr).toContain('<stdin> is not a complete pack, so its front matter could not be checked')
    })

    it('says on a terminal that a pack has none', async () => {
      const cwd = makeFolder({ 'a.pack.json': packOf() })
      expect(await decodeOnTerminal(cwd, 'a.pack.json', '--with-front-matter')).toEqual({
        status: 0,
        stdout: BODY,
        stderr: 'a.pack.json has no front matter; this is all of its text\n',
      })
      const piped = await runPack(['decode', '-', '--with-front-matter'], { input: packOf() })
      expect(piped).toMatchObject({ status: 0, stdout: BODY, stderr: '' })
    })
  })

  it('never overwrites the pack that it reads, under any name', async () => {
    const cwd = makeFolder({ 'x.pack.json': packOf() })
    symlinkSync('x.pack.json', join(cwd, 'link'))
    for (const output of ['x.pack.json', './x.pack.json', 'link']) {
      const run = await runInProcess(['decode', 'x.pack.json', '-o', output], { cwd })
      expect(run).toMatchObject({ status: 4, stdout: '' })
      expect(run.stderr).toContain(`${output} is the pack itself`)
    }
    expect(readFileSync(join(cwd, 'x.pack.json'), 'utf8')).toBe(packOf())
  })

  it.runIf(existsSync('/dev/full'))('reports that stdout cannot be written to', async () => {
    const cwd = makeFolder({ 'x.pack.json': packOf() })
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    for (const args of [['decode', 'x.pack.json'], ['--version']]) {
      const run = await runPack(args, { cwd, stdout: full })
      expect(run).toMatchObject({ status: 1 })
      expect(run.stderr).toBe(
        'error: cannot write stdout: no space left on the device\nhint: free some space\n',
      )
    }
  })

  it('refuses bytes that are not UTF-8, and a folder', async () => {
    const cwd = makeFolder({ 'x.pack.json': Buffer.from([0x7b, 0xff, 0x7d]) })
    expect((await runInProcess(['decode', 'x.pack.json'], { cwd })).stderr).toContain(
      'x.pack.json is not UTF-8 text',
    )
    expect((await runInProcess(['decode', '.'], { cwd })).stderr).toContain('. is a folder')
  })

  it('does not write into a missing folder', async () => {
    const cwd = makeFolder({ 'ml.pack.json': packOf() })
    const run = await runInProcess(['decode', 'ml.pack.json', '-o', 'no/ml.md'], { cwd })
    expect(run.status).toBe(1)
    expect(run.stderr).toContain('its folder does not exist')
    expect(existsSync(join(cwd, 'no'))).toBe(false)
  })

  it('exits silently with 130 when the reader closes stdout', async () => {
    const text = 'a line of text\n'.repeat(500_000)
    const sha256 = createHash('sha256').update(text).digest('hex')
    const cwd = makeFolder({ 'x.pack.json': packOf({ content: text, rosetta: '[DECODE]', sha256 }) })
    const child = startPack(['decode', 'x.pack.json'], { cwd })
    let stderr = ''
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.stdout?.once('data', () => child.stdout?.destroy())
    const status = await new Promise((resolve) => child.on('close', resolve))
    expect({ status, stderr }).toEqual({ status: 130, stderr: '' })
  })

  it('exits with 130 on an interrupt', async () => {
    const child = startPack(['decode', '-'])
    let output = ''
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const ended = new Promise((resolve) => child.on('close', resolve))
    await new Promise<void>((resolve) => {
      child.stdin?.write('x'.repeat(1024 * 1024), () => resolve())
    })
    child.kill('SIGINT')
    expect({ status: await ended, output }).toEqual({ status: 130, output: '' })
  })
})

/**
 * Entry 40 expands to 1 unit, and each entry before it to 9 times the next one plus 10 units. Entries 33 to 40 leave room for
 * five times entry 33, so entry 32 exceeds the limit.
 */
function explode(): string {
  const pairs = Array.from({ length: 40 }, (_, at) => `§${at}§=${`§${at + 1}§ `.repeat(9)}x`)
  return `[DECODE] ${pairs.join('|')}|§40§=y`
}

function bomb(start = ''): { content: string; rosetta: string } {
  return { content: start + '§'.repeat(40_000), rosetta: `[DECODE] §=${'x'.repeat(4000)}` }
}

/** A page that saves tokens without a term. */
const PAGE = `---
title: Keys
---
# Keys

<!-- TODO: ask the locksmiths of the whole town about this paragraph -->

${Array.from({ length: 9 }, (_, at) => `Do not turn [key ${at}](https://keys.example.com/handbook/${at}/turning-keys-in-old-locks).`).join('\n\n')}
`

async function buildPage(): Promise<Pack> {
  const { pack } = await buildPack(parseSource(PAGE, { path: 'keys.md' }).source!)
  expect(pack!.compression).toBe('minify-1')
  return pack!
}

describe('pack decode of minified text', () => {
  it('restores the source, and with --text gives what models read', async () => {
    const pack = await buildPage()
    const cwd = makeFolder({ 'keys.pack.json': serializePack(pack) })
    const whole = await runInProcess(['decode', 'keys.pack.json', '--with-front-matter'], { cwd })
    expect(whole).toMatchObject({ status: 0, stdout: PAGE })
    const text = await runInProcess(['decode', 'keys.pack.json', '--text'], { cwd })
    expect(text).toMatchObject({ status: 0, stdout: pack.content })
    expect(text.stdout).toContain('Do not turn [key 3](4).')
    const both = await runInProcess(['decode', 'keys.pack.json', '--text', '--with-front-matter'], { cwd })
    expect(both.status).toBe(2)
  })

  it('refuses a source whose patch is missing or cannot be checked', async () => {
    const { patch: _, ...pack } = await buildPage()
    const { tokenizer: __, ...part } = await buildPage()
    // Without the digest of the text its content may say something else than its source.
    const { text_sha256: ___, ...silent } = await buildPage()
    silent.content = silent.content.replace('not ', '')
    silent.patch = [[0, silent.content.length, restore(await buildPage())]]
    const cwd = makeFolder({
      'a.pack.json': JSON.stringify(pack),
      'b.pack.json': JSON.stringify(part),
      'c.pack.json': JSON.stringify(silent),
    })
    for (const [name, code] of [
      ['a', 'invalid_patch'],
      ['b', 'invalid_pack'],
      ['c', 'invalid_pack'],
    ]) {
      const run = await runInProcess(['decode', `${name}.pack.json`, '--json'], { cwd })
      expect(JSON.parse(run.stdout)).toMatchObject({ error: { code } })
    }
    const missing = await runInProcess(['decode', 'a.pack.json'], { cwd })
    expect(missing.stderr).toMatch(/\(invalid_patch: patch\)[^]*the patch is missing/)
    const checked = await runInProcess(['check', 'a.pack.json'], { cwd })
    expect(checked.stdout).toMatch(/^1 pack passes; not signed; [1-9] checks skipped\n/)
  })
})

describe('pack decode of what the API answers', async () => {
  const text = PAGE.slice(PAGE.indexOf('# Keys'))
  const files = {
    bare: '---\nslug: bare\n---\n' + text,
    described: `---\nslug: described\ndescription: On keys\ntags: [keys]\nweight: 7\n---\n${text}`,
    'without-links': `---\nslug: without-links\n---\n# Keys\n\n<!-- TODO: ask the locksmiths of the town -->\n`,
    short: '---\nslug: short\ntags: [keys]\n---\n# Keys\n\nDo not turn them.\n',
    empty: '---\nslug: empty\n---\n',
  }
  const starts = (['minify-1', 'dense-2', 'none'] as const).map(async (scheme) => {
    const build = async ([slug, file]: readonly [string, string]) => {
      const { pack } = await buildPack(parseSource(file, { path: `${slug}.md` }).source!, { scheme })
      return { ...makeVersion({ slug, source: slug }), pack: pack! }
    }
    return startApi({ versions: await Promise.all(Object.entries(files).map(build)) })
  })
  const apis = await Promise.all(starts)

  it.each(Object.entries(files))('restores the source of a pack that is %s', async (slug, file) => {
    for (const api of apis)
      for (const include of ['', '?include=source', '?include=document']) {
        const answer = await api.request(`/api/v1/packs/${slug}${include}`, { key: api.pro.key })
        const cwd = makeFolder({ 'answer.json': answer.text })
        const run = await runInProcess(['decode', 'answer.json', '--with-front-matter'], { cwd })
        const isPart = include === '' && answer.text.includes('text_sha256')
        const body = include === '' ? file.replace(/^---[^]*?---\n/, '') : file
        expect(run).toMatchObject({ status: isPart ? 1 : 0, stdout: isPart ? '' : body })
        expect(run.stderr).toMatch(isPart ? /`include=source`/ : /^$/)
      }
  })
})
