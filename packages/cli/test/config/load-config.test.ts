import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CliError } from '../../src/cli-error.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

/** Returns each fault of the configuration as `line:column message`. */
async function readFaults(text: string, name = 'packs.config.json'): Promise<string[]> {
  const cwd = makeFolder({ '.git/HEAD': '', [name]: text })
  const error: unknown = await loadConfig(cwd).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(CliError)
  const { details, file } = error as CliError
  expect(file).toBe(name)
  return details.faults!.map(({ line, column, message }) => `${line}:${column} ${message}`)
}

const CONFIGS = new Map([
  ['packs.config.json', '{}'],
  ['packs.config.mjs', 'export default {}'],
  ['packs.config.ts', 'export default {}'],
  ['package.json', '{"packs":{}}'],
])

/** Gives a path to another user; one who may not do that becomes another user himself. */
function giveAway(path: string): void {
  if (process.getuid?.() === 0) chownSync(path, 4321, 4321)
  else vi.spyOn(process, 'getuid').mockReturnValue(4321)
}

afterEach(() => void vi.restoreAllMocks())

describe('loadConfig', () => {
  it('finds the nearest configuration above a folder', async () => {
    const top = makeFolder({
      '.git/HEAD': '',
      'packs.config.json': '{"scheme":"none"}',
      'site/packs.config.json': '\uFEFF{"scheme":"max-2"}',
      'site/docs/api/a.md': '',
      'other/a.md': '',
    })
    expect(await loadConfig(join(top, 'site/docs/api'))).toEqual({
      config: { scheme: 'max-2' },
      path: join(top, 'site/packs.config.json'),
      folder: join(top, 'site'),
      shown: join('..', '..', 'packs.config.json'),
    })
    expect(await loadConfig(join(top, 'other'))).toMatchObject({ config: { scheme: 'none' }, folder: top })
  })

  it('does not look above the root of the repository, or outside of one above the working folder', async () => {
    const top = makeFolder({
      'packs.config.json': '{"scheme":"none"}',
      'package.json': '{"packs":{"budget":800}}',
      'repo/.git/HEAD': '',
      'repo/a.md': '',
      'notes/a.md': '',
    })
    expect(await loadConfig(join(top, 'repo'))).toBeUndefined()
    expect(await loadConfig(join(top, 'notes'))).toBeUndefined()
  })

  it.each<[string, string, (top: string) => void]>([
    [
      'packs.config.json',
      'can be written by others',
      (top) => chmodSync(join(top, 'packs.config.json'), 0o646),
    ],
    ['packs.config.json', 'belongs to another user', (top) => giveAway(join(top, 'packs.config.json'))],
    ['packs.config.mjs', 'can be written by others', (top) => chmodSync(top, 0o1777)],
    ['packs.config.mjs', 'can be written by others', (top) => chmodSync(top, 0o775)],
    ['package.json', 'belongs to another user', (top) => giveAway(top)],
    ['packs.config.ts', 'can be replaced by others, through', (top) => chmodSync(join(top, '..'), 0o777)],
  ])('refuses %s if it or its folder %s, unless it is named', async (name, fault, prepare) => {
    const files = { 'repo/.git/HEAD': '', [`repo/${name}`]: CONFIGS.get(name)!, 'repo/docs/a.md': '' }
    const top = join(makeFolder(files), 'repo')
    vi.spyOn(process, 'getgid').mockReturnValue(4321)
    prepare(top)
    for (const folder of [top, join(top, 'docs')]) {
      const message = expect.stringMatching(new RegExp(`${name} is not used: .*${top}.* ${fault}`))
      await expect(loadConfig(folder)).rejects.toMatchObject({ code: 'untrusted_file', message })
    }
    expect(await loadConfig(top, name)).toMatchObject({ path: join(top, name) })
    expect(await loadConfig(top, 'none')).toBeUndefined()
  })

  it('accepts what the group of this user alone can write, as with a mask of 002', async () => {
    const cwd = makeFolder({ 'packs.config.json': '{}' })
    vi.spyOn(process, 'getgid').mockReturnValue(statSync(cwd).gid)
    vi.spyOn(process, 'getuid').mockReturnValue(statSync(cwd).uid)
    chmodSync(cwd, 0o775)
    chmodSync(join(cwd, 'packs.config.json'), 0o664)
    expect(await loadConfig(cwd)).toMatchObject({ folder: cwd })
  })

  it('refuses a link to a file that others can write to', async () => {
    const top = makeFolder({ 'shared/packs.json': '{}', 'mine/.keep': '' })
    symlinkSync('../shared/packs.json', join(top, 'mine/packs.config.json'))
    chmodSync(join(top, 'shared'), 0o777)
    await expect(loadConfig(join(top, 'mine'))).rejects.toMatchObject({ code: 'untrusted_file' })
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

  it('refuses two configurations in one folder', async () => {
    const cwd = makeFolder({ 'packs.config.json': '{}', 'packs.config.ts': 'export default {}' })
    await expect(loadConfig(cwd)).rejects.toMatchObject({
      code: 'config_failed',
      details: { faults: [{ message: 'packs.config.json is beside it' }] },
    })
  })

  it.skipIf(process.platform === 'win32').each([
    ['/dev/zero', 'it is a pipe or a device, not a file'],
    ['nowhere.json', 'it is a link to a file that does not exist'],
    ['.git', 'it is a folder'],
  ])('refuses a link to %s', async (target, message) => {
    const cwd = makeFolder({ '.git/HEAD': '' })
    symlinkSync(target, join(cwd, 'packs.config.json'))
    const failed = { code: 'config_failed', details: { faults: [expect.objectContaining({ message })] } }
    await expect(loadConfig(cwd)).rejects.toMatchObject(failed)
  })

  it('names a file that is missing, has another form, or cannot be read', async () => {
    const cwd = makeFolder({ 'packs.yaml': '', '.git/HEAD': '' })
    await expect(loadConfig(cwd, 'gone.json')).rejects.toMatchObject({
      code: 'config_failed',
      details: { faults: [{ message: 'there is no such file' }] },
    })
    await expect(loadConfig(cwd, 'packs.yaml')).rejects.toMatchObject({
      details: { faults: [{ message: 'a configuration cannot end in .yaml' }] },
    })
    mkdirSync(join(cwd, 'packs.config.json'))
    await expect(loadConfig(cwd)).rejects.toMatchObject({ code: 'config_failed' })
  })
})

describe('faults of JSON', () => {
  it('have the position of the key or value', async () => {
    const text = `{
  "schem": "max-2",
  "sources": "docs",
  "difficulty": { "api/**": "easy", "guides": "expert" },
  "glossary": [
    { "expansion": "transport layer security", "term": 3 },
    { "phrase": "x" }
  ],
  "budget": 0,
  "frontMatter": { "map": { "weight": true } },
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
      '11:3 the key "budget" occurs twice',
    ])
  })

  it('suggest the key that is meant', async () => {
    const cwd = makeFolder({ 'packs.config.json': '{"schem":"none","frontMatter":{"mapp":{}},"zzz":1}' })
    const faults = [
      { hint: 'did you mean "scheme"?' },
      { hint: 'did you mean "frontMatter.map"?' },
      { hint: expect.stringMatching(/^the keys are .*sources, out, scheme/) },
    ]
    await expect(loadConfig(cwd)).rejects.toMatchObject({ code: 'invalid_config', details: { faults } })
  })

  it('have the position in package.json', async () => {
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
    ['{\n<<<<<<< HEAD\n  "budget": 1\n', '2:1 it contains git conflict markers'],
    ['{\n  // why\n}', '2:3 not valid JSON: unexpected "/"'],
    ['{"out": "a\tb"}', '1:11 not valid JSON: unexpected "\\t"'],
    ['null', '1:1 the configuration must be an object with keys such as sources and scheme, found null'],
    ['{"glossary":[{"expansion":"a b"},{"expansion":"a b"}]}', '1:47 the glossary has two rules for "a b"'],
    ['{"sources":["-"]}', '1:13 sources.0 must be a file, folder or glob, found "-"'],
    [
      '{"worthHeader":2}',
      '1:16 worthHeader must be an object such as { "percent": 2, "tokens": 40 }, found 2',
    ],
    [
      '{"worthHeader":{"percent":101,"tokens":40}}',
      '1:27 worthHeader.percent must be a percentage from 0 to 100, found 101',
    ],
    ['{"worthHeader":{"percent":2}}', '1:16 worthHeader.tokens is missing'],
    [
      '{"worthHeader":{"percent":2,"token":40,"tokens":40}}',
      '1:29 "worthHeader.token" is not a key of a configuration',
    ],
    ['{"extensions":["a/b"]}', '1:16 extensions.0 must be a file extension such as .txt, found "a/b"'],
  ])('are found in %j', async (text, fault) => {
    expect(await readFaults(text)).toEqual([fault])
  })
})
