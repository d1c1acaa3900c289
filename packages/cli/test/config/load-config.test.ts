import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { CliError } from '../../src/cli-error.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { makeFolder } from '../run-pack.ts'

/** Returns each fault of the configuration as `line:column message`. */
async function readFaults(text: string, name = 'packs.config.json'): Promise<string[]> {
  const cwd = makeFolder({ '.git/HEAD': '', [name]: text })
  const error: unknown = await loadConfig(cwd).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(CliError)
  const { faults, file } = error as CliError
  expect(file).toBe(name)
  return faults.map(({ line, column, message }) => `${line}:${column} ${message}`)
}

describe('loadConfig', () => {
  it('finds the nearest configuration above a folder', async () => {
    const top = makeFolder({
      '.git/HEAD': '',
      'packs.config.json': '{"scheme":"none"}',
      'site/packs.config.json': '\uFEFF{"scheme":"max-1"}',
      'site/docs/api/a.md': '',
      'other/a.md': '',
    })
    expect(await loadConfig(join(top, 'site/docs/api'))).toEqual({
      config: { scheme: 'max-1' },
      path: join(top, 'site/packs.config.json'),
      folder: join(top, 'site'),
      shown: join('..', '..', 'packs.config.json'),
    })
    expect(await loadConfig(join(top, 'other'))).toMatchObject({ config: { scheme: 'none' }, folder: top })
  })

  it('does not look above the root of the repository', async () => {
    const top = makeFolder({
      'packs.config.json': '{"scheme":"none"}',
      'repo/.git/HEAD': '',
      'repo/a.md': '',
    })
    expect(await loadConfig(join(top, 'repo'))).toBeUndefined()

    vi.stubEnv('HOME', join(top, 'a-home-with-a-longer-name-than-the-repository'))
    expect(await loadConfig(join(top, 'repo'))).toBeUndefined()
    vi.unstubAllEnvs()
  })

  it('reads "packs" of package.json, and passes over a package.json without it', async () => {
    const top = makeFolder({
      '.git/HEAD': '',
      'package.json': '{"name":"packs","packs":{"budget":800}}',
      'docs/package.json': '{"name":"packs"}',
      'broken/package.json': '{"name":',
    })
    expect(await loadConfig(join(top, 'docs'))).toMatchObject({ config: { budget: 800 }, folder: top })
    expect(await loadConfig(join(top, 'broken'))).toMatchObject({ config: { budget: 800 } })
  })

  it('prefers the configuration that is named, and uses none if told so', async () => {
    const cwd = makeFolder({ 'packs.config.json': '{"budget":1}', 'ci.json': '{"budget":2}' })
    expect(await loadConfig(cwd, 'ci.json')).toMatchObject({ config: { budget: 2 }, shown: 'ci.json' })
    expect(await loadConfig(cwd, false)).toBeUndefined()
  })

  it('refuses two configurations in one folder', async () => {
    const cwd = makeFolder({ 'packs.config.json': '{}', 'packs.config.ts': 'export default {}' })
    await expect(loadConfig(cwd)).rejects.toMatchObject({
      code: 'config_failed',
      faults: [{ message: 'packs.config.json is beside it' }],
    })
  })

  it.skipIf(process.platform === 'win32').each([
    ['/dev/zero', 'it is a pipe or a device, not a file'],
    ['nowhere.json', 'it is a link to a file that does not exist'],
    ['.git', 'it is a folder'],
  ])('refuses a link to %s', async (target, message) => {
    const cwd = makeFolder({ '.git/HEAD': '' })
    symlinkSync(target, join(cwd, 'packs.config.json'))
    const failed = { code: 'config_failed', faults: [expect.objectContaining({ message })] }
    await expect(loadConfig(cwd)).rejects.toMatchObject(failed)
  })

  it('names a file that is missing, has another form, or cannot be read', async () => {
    const cwd = makeFolder({ 'packs.yaml': '', '.git/HEAD': '' })
    await expect(loadConfig(cwd, 'gone.json')).rejects.toMatchObject({
      code: 'config_failed',
      faults: [{ message: 'there is no such file' }],
    })
    await expect(loadConfig(cwd, 'packs.yaml')).rejects.toMatchObject({
      faults: [{ message: 'a configuration cannot end in .yaml' }],
    })
    mkdirSync(join(cwd, 'packs.config.json'))
    await expect(loadConfig(cwd)).rejects.toMatchObject({ code: 'config_failed' })
  })
})

describe('faults of JSON', () => {
  it('have the place of the key or value', async () => {
    const text = `{
  "schem": "max-1",
  "sources": "docs",
  "difficulty": { "api/**": "easy", "guides": "expert" },
  "glossary": [
    { "expansion": "transport layer security", "term": 3 },
    { "phrase": "x" }
  ],
  "budget": 0,
  "frontMatter": { "map": { "weight": true } },
  "lint": { "rulez": {} },
  "budget": 5
}`
    expect(await readFaults(text)).toEqual([
      '2:3 "schem" is not a key of a configuration',
      '3:14 sources must be a list of files, folders and globs, found "docs"',
      '4:29 difficulty.api/** must be one of beginner, intermediate, advanced, expert, found "easy"',
      '6:56 glossary.0.term must be text, found 3',
      '7:5 glossary.1.expansion is missing',
      '7:7 "glossary.1.phrase" is not a key of a configuration',
      '10:39 frontMatter.map.weight must be the name of another key, or false, found true',
      '11:13 "lint.rulez" is not a key of a configuration',
      '12:3 the key "budget" occurs twice',
    ])
  })

  it('suggest the key that is meant', async () => {
    const cwd = makeFolder({ 'packs.config.json': '{"schem":"none","lint":{"rulez":{}},"zzz":1}' })
    const faults = [
      { hint: 'did you mean "scheme"?' },
      { hint: 'did you mean "lint.rules"?' },
      { hint: expect.stringMatching(/^the keys are .*sources, out, scheme/) },
    ]
    await expect(loadConfig(cwd)).rejects.toMatchObject({ code: 'invalid_config', faults })
  })

  it('have the place in package.json', async () => {
    const text = '{\n  "name": "site",\n  "packs": {\n    "budget": -1\n  }\n}\n'
    expect(await readFaults(text, 'package.json')).toEqual([
      '4:15 budget must be a whole number of tokens, at least 1, found -1',
    ])
    expect(await readFaults('{"packs": []}', 'package.json')).toEqual([
      '1:11 the configuration must be an object with keys such as sources and scheme, found an empty list',
    ])
  })

  it.each([
    ['{"budget": 1,\n}', '2:1 not valid JSON: unexpected "}"'],
    ['', '1:1 not valid JSON: it ends too early'],
    ['{\n  // why\n}', '2:3 not valid JSON: unexpected "/"'],
    ['{"out": "a\tb"}', '1:11 not valid JSON: unexpected "\\t"'],
    ['null', '1:1 the configuration must be an object with keys such as sources and scheme, found null'],
    ['{"glossary":[{"expansion":"a b"},{"expansion":"a b"}]}', '1:47 the glossary has two rules for "a b"'],
    ['{"sources":["-"]}', '1:13 sources.0 must be a file, folder or glob, found "-"'],
    ['{"extensions":["a/b"]}', '1:16 extensions.0 must be a file extension such as .txt, found "a/b"'],
  ])('are found in %j', async (text, fault) => {
    expect(await readFaults(text)).toEqual([fault])
  })
})
