import { loadTokenizer } from '@packs/codec/compress'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { startProject } from '../../../server/test/mcp/start-mcp.ts'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder, startPack } from '../../../test-kit/test/run-pack.ts'

const REDIS = `# Redis\n\nAn in-memory store.\n\n## Key expiration\n\nA key with a time to live is removed when its timeout has passed.\n\n## Code\n\n\`\`\`\n${'quaternion '.repeat(900)}\n\`\`\`\n`
const ask = (...args: string[]): Promise<Printed> => {
  const cwd = makeFolder({ 'docs/redis.md': REDIS, 'docs/tea.md': '# Green tea\n\nSteam it.\n' })
  return runInProcess(['context', ...args], { cwd })
}

it('prints the passages of a folder, and their tokens on stderr', async () => {
  const tokenizer = await loadTokenizer('o200k_base')
  const { status, stdout, stderr } = await ask('a key expiration', 'docs')
  expect(status).toBe(0)
  expect(stdout).toMatch(/^Documents [^\n]*\n<doc id="redis#[^"]*key-expiration">\n[^]*<\/doc>\n$/)
  expect(stderr).toBe(`${tokenizer.countTokens(stdout)} of 2,000 tokens in 1 passage\n`)
})

it('prints all as JSON', async () => {
  const { stdout, stderr } = await ask('key expiraton', 'docs', '--json', '--budget', '300')
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    budget: 300,
    tokenizer: 'o200k_base',
    passages: [{ pack: 'redis', pack_digest: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown }],
    corrected: 'key expiration',
  })
})

it('says if nothing answers, and what to do', async () => {
  const { status, stdout, stderr } = await ask('xylophone', 'docs')
  expect([status, stdout]).toEqual([0, ''])
  expect(stderr).toMatch(/^No passage answers "xylophone"\nhint: /)
})

it('asks a catalog, and searches the versions of a lock with the catalog gone', async () => {
  const { server, cwd, env, offline } = await startProject()
  const question = ['context', 'renew with an ACME client']
  const passage = /<doc id="tls-certificates#renewal…renewal-by-hand">/
  const asked = await runInProcess(question, { cwd, env })
  expect([asked.status, asked.stdout]).toEqual([0, expect.stringMatching(passage)])
  const json = await runInProcess(['context', 'renew', '--json', '--budget', '8000'], { cwd, env })
  expect(JSON.parse(json.stdout)).toMatchObject({ ok: true, budget: 8000, passages: [{}] })
  const added = await runInProcess(['add', 'tls-certificates@1.0.0', 'http-status-codes@~1.0'], { cwd, env })
  expect(added.status).toBe(0)
  await server.close()
  const locked = await runInProcess([...question, '--lock', 'packs.lock'], { cwd, env: offline })
  expect([locked.status, locked.stdout]).toEqual([0, expect.stringMatching(passage)])
  const pinned = await runInProcess(['context', '503', '--lock', 'packs.lock'], { cwd, env: offline })
  expect(pinned.stdout).toContain('<doc id="http-status-codes#')
  const gone = await runInProcess(question, { cwd, env })
  expect([gone.status, gone.stdout]).toEqual([0, asked.stdout])
  expect(gone.stderr).toMatch(/^The catalog cannot be reached: this is its last answer/)
  const other = await runInProcess(['context', 'something else'], { cwd, env })
  expect([other.status, other.stdout]).toEqual([5, ''])
  expect(other.stderr).toContain('the catalog cannot be reached')
  const named = await runInProcess([...question, './packs.lock'], { cwd, env: offline })
  expect(named).toEqual(locked)
})

it('says how many sections a key may not read, and when to ask again', async () => {
  const { server, env } = await startProject('free')
  const asked = await runInProcess(['context', 'ACME'], { env })
  expect([asked.status, asked.stdout]).toEqual([0, ''])
  expect(asked.stderr).toMatch(
    /^\d+ sections? match(?:es)? beyond what the key may read\nhint: set PACK_KEY to the key of a Pro account\n$/,
  )
  server.setMode('recovery')
  const refused = await runInProcess(['context', 'something else'], { env })
  expect([refused.status, refused.stdout]).toEqual([5, ''])
  expect(refused.stderr).toMatch(/\nhint: .*; try again at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n$/)
})

it('counts one further section as one', async () => {
  const section = (name: string): string => `## ${name}\n\nA walnut ${`${name} garden `.repeat(60)}.\n\n`
  const cwd = makeFolder({ 'docs/trees.md': `# Trees\n\n${section('north')}${section('south')}` })
  const { stderr } = await runInProcess(['context', 'walnut', 'docs', '--budget', '200'], { cwd })
  expect(stderr).toMatch(/ tokens in 1 passage; 1 more section matches: raise --budget\n$/)
})

it('escapes control characters on a terminal only', async () => {
  const text = '# Walnut\n\n\tRed \u001B[31m and \u202Eback.\n'
  const cwd = makeFolder({ 'docs/walnut.md': text })
  const args = ['context', 'walnut', 'docs']
  expect((await runInProcess(args, { cwd })).stdout).toContain('\tRed \u001B[31m and \u202Eback.\n')
  const shown = (await runInProcess(args, { cwd, isTerminal: true })).stdout
  expect(shown).toContain(String.raw`Red \u001b[31m and \u202eback.`)
  expect(shown).toContain('\n\n\tRed ')
})

it('ends quietly if its reader has gone', async () => {
  const cwd = makeFolder({ 'docs/long.md': `# Long\n\n${'A walnut in a garden. '.repeat(4000)}\n` })
  const child = startPack(['context', 'walnut garden', 'docs', '--budget', '16000'], { cwd })
  onTestFinished(() => void child.kill('SIGKILL'))
  let notes = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (notes += text))
  child.stdout!.destroy()
  const [status] = (await once(child, 'close')) as [number]
  expect(status).toBe(130)
  expect(notes).not.toMatch(/EPIPE|error/)
})

it.each([
  ...['199', '16001', 'abc', '-5'].map((budget): [string[], RegExp] => [
    ['x', 'docs', '--budget', budget],
    /'--budget <tokens>' argument '[^']+' is invalid\. Give a whole number from 200 to 16,000\./,
  ]),
  [['how', 'do', 'I', 'docs'], /hint: write pack context "how do I" docs/],
  [['docs', 'key'], /the words come first, in quotes, then the files\nhint: write pack context key docs/],
  [['x', './packs.lock', 'docs'], /the lock \.\/packs\.lock takes no other inputs\nhint: name only the lock/],
  [['x', 'packs.lock', '--lock', 'other.lock'], /the lock packs\.lock takes no other inputs/],
  [['x', 'packs.lock'], /packs\.lock does not exist\nhint: pin packs with `pack add NAME`/],
  [['', 'docs'], /the query must have words/],
  [['x'.repeat(401), 'docs'], /the query must have at most 400 characters/],
  [['x'], /no packs are named/],
  [['x', 'missing'], /missing/],
  [['x', 'http://127.0.0.1:1'], /does not exist\nhint: name a catalog with --url/],
  [['x', 'docs', '--lock', 'packs.lock'], /--lock takes no inputs/],
])('refuses %j', async (args, message) => {
  const { status, stdout, stderr } = await ask(...args)
  expect(status).toBeGreaterThan(0)
  expect(stdout).toBe('')
  expect(stderr).toMatch(message)
})
