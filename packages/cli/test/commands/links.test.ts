import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serializePack } from '@packs/codec/internal'
import { buildPack, type Pack, parseSource } from '@packs/codec/pack'
import { expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const address = (at: number): string => `https://keys.example.com/handbook/${at}/turning-keys-in-old-locks`
const KEYS = `# Keys\n\n${Array.from({ length: 9 }, (_, at) => `Do not turn [key ${at}](${address(at)}).`).join('\n\n')}\n`

/** Writes two packs that share an address. */
async function writePacks(): Promise<string> {
  const texts = { keys: KEYS, locks: KEYS.replace('# Keys', '# Locks').replace('handbook/3/', 'manual/3/') }
  const packs = Object.entries(texts).map(async ([slug, text]): Promise<[string, string]> => {
    const { pack } = await buildPack(parseSource(text, { path: `${slug}.md` }).source!)
    expect(pack!.links).toHaveLength(9)
    return [`dist/${slug}.pack.json`, serializePack(pack!)]
  })
  return makeFolder(Object.fromEntries(await Promise.all(packs)))
}

it('pack prompt writes the addresses of its numbers, and pack links puts them into an answer', async () => {
  const cwd = await writePacks()
  const prompt = await runInProcess(['prompt', 'dist', '--links', 'links.json'], { cwd })
  expect(prompt.status).toBe(0)
  expect(prompt.stdout).toMatch(/^In a link such as \[text\]\(7\) the number is its address\./)
  expect(prompt.stdout).not.toContain('https://')
  const links = JSON.parse(readFileSync(join(cwd, 'links.json'), 'utf8')) as Record<string, string>
  // The second pack adds the only address that the first has not.
  expect(Object.keys(links)).toHaveLength(10)
  expect(Object.values(links).slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, at) => address(at)))
  const [, number] = /\[key 3\]\((\d+)\)[^]*<pack title="Locks">/.exec(prompt.stdout)!
  const answer = `Not [this key](${number}), \`[a](1)\`, [b](99) and ![c](10).\n`
  const expected = `Not [this key](${address(3)}), \`[a](1)\`, [b](99) and [c](${links['10']!}).\n`
  expect(links['10']).toContain('/manual/3/')
  writeFileSync(join(cwd, 'answer.md'), answer)
  expect(await runInProcess(['links', 'answer.md', '--from', 'links.json'], { cwd })).toMatchObject({
    status: 0,
    stdout: expected,
  })
  const { stdout } = await runInProcess(['prompt', 'dist', '--json'], { cwd })
  expect(JSON.parse(stdout)).toMatchObject({ text: prompt.stdout, links })
})

it('pack prompt writes addresses in place or none, and says where they can be', async () => {
  const cwd = await writePacks()
  const run = (...args: string[]) => runInProcess(['prompt', 'dist/keys.pack.json', ...args], { cwd })
  const inline = await run('--links', 'inline')
  expect(inline.stdout).toContain(`Do not turn [key 3](${address(3)}).`)
  expect(inline.stdout).not.toContain('number is its address')
  const dropped = await run('--links', 'drop')
  expect(dropped.stdout).toBe(KEYS.replaceAll(/\(https[^)]*\)/g, ''))
  expect((await run()).stderr).toContain('note: 9 addresses have numbers: --links FILE writes them')
  expect(await run('--links', '')).toMatchObject({ status: 2 })
})

it('pack prompt and search read a pack without its patch, and refuse one with other addresses', async () => {
  const cwd = await writePacks()
  const { patch, ...pack } = JSON.parse(readFileSync(join(cwd, 'dist/keys.pack.json'), 'utf8')) as Pack
  const [, ...links] = pack.links!
  const forged = { ...pack, patch, links: ['https://evil.example/', ...links] }
  const other = makeFolder({ 'a.pack.json': JSON.stringify(pack), 'b.pack.json': JSON.stringify(forged) })
  const prompt = await runInProcess(['prompt', 'a.pack.json', '--links', 'drop'], { cwd: other })
  expect(prompt.stdout).toContain('Do not turn [key 3].')
  const found = await runInProcess(['search', 'turn', 'a.pack.json', '--json'], { cwd: other })
  expect(JSON.parse(found.stdout)).toMatchObject({ data: [{ section: { id: 'keys' } }] })
  for (const command of [
    ['prompt', 'b.pack.json'],
    ['search', 'turn', 'b.pack.json'],
  ]) {
    const run = await runInProcess([...command, '--json'], { cwd: other })
    expect(run.status).toBe(1)
    expect(run.stdout).toContain('has links that do not match its links_sha256')
  }
})

it('pack links takes a pack, and expands terms with the JSON of a prompt', async () => {
  const cwd = await writePacks()
  const files = {
    'answer.md': 'The 水 is [key 3](4).\n',
    'prompt.json': JSON.stringify({ rosetta: '[DECODE] 水=quick exchange', links: { 4: '/keys' } }),
  }
  const own = makeFolder(files)
  const pack = join(cwd, 'dist/keys.pack.json')
  const read = (from: string) => runInProcess(['links', 'answer.md', '--from', from], { cwd: own })
  expect((await read(pack)).stdout).toBe(`The 水 is [key 3](${address(3)}).\n`)
  expect((await read('prompt.json')).stdout).toBe('The quick exchange is [key 3](/keys).\n')
})

it.each([
  ['{', 'invalid_links', 'links.json is not JSON'],
  ['[1]', 'invalid_links', 'links.json has no addresses by number'],
  ['{"a":"b"}', 'invalid_links', 'links.json has no addresses by number'],
  ['7', 'invalid_links', 'links.json has no addresses by number'],
  ['{"content":"a","rosetta":"[DECODE]"}', 'invalid_links', 'links.json is a pack without links'],
  [undefined, 'file_not_found', 'links.json does not exist'],
])('pack links says what is wrong with %j', async (text, code, message) => {
  const cwd = makeFolder({ 'a.md': '[a](1)', ...(text !== undefined && { 'links.json': text }) })
  const { status, stdout } = await runInProcess(['links', 'a.md', '--from', 'links.json', '--json'], { cwd })
  expect(status).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code, message } })
})
