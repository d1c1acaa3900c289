import { loadTokenizer } from '@packs/codec/tokens'
import { expect, it } from 'vitest'
import { runInProcess, type Printed } from '../run-in-process.ts'
import { makeFolder } from '../run-pack.ts'

const REDIS = `# Redis\n\nAn in-memory store.\n\n## Key expiration\n\nA key with a time to live is removed when its timeout has passed.\n\n## Code\n\n\`\`\`\n${'quaternion '.repeat(900)}\n\`\`\`\n`
const ask = (...args: string[]): Promise<Printed> => {
  const cwd = makeFolder({ 'docs/redis.md': REDIS, 'docs/tea.md': '# Green tea\n\nSteam it.\n' })
  return runInProcess(['context', ...args], { cwd })
}

it('prints the passages of a folder, and their tokens on stderr', async () => {
  const tokenizer = await loadTokenizer('o200k_base')
  const { status, stdout, stderr } = await ask('set a key expiration', 'docs')
  expect(status).toBe(0)
  expect(stdout).toMatch(
    /^<passage pack="redis" version="[^"]+" section="[^"]*key-expiration" path="Redis[^>]*>\n[^]*<\/passage>\n$/,
  )
  expect(stderr).toBe(`${tokenizer.countTokens(stdout)} of 2,000 tokens in 1 passage\n`)
})

it('lists passages, or prints all as JSON', async () => {
  const list = await ask('key expiration', 'docs', '--list')
  expect(list.stdout).toMatch(/^redis@\S+ #(?:redis #)?key-expiration {2}\d+ tokens {2}Redis/)
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

it.each([
  [
    ['quaternion', 'docs', '--budget', '200'],
    /no passage fits 200 tokens: the smallest takes [\d,]+[^]*pass --budget \d+/,
  ],
  [['x', 'docs', '--budget', '199'], /--budget 199 is out of range/],
  [['x', 'docs', '--budget', '16001'], /give 200 to 16,000 tokens/],
  [['', 'docs'], /the query is empty/],
  [['x'.repeat(401), 'docs'], /the query has 401 characters/],
  [['x'], /no packs are named/],
  [['x', 'missing'], /missing/],
  [['x', 'docs', '--lock', 'packs.lock'], /--lock takes no inputs/],
])('refuses %j', async (args, message) => {
  const { status, stdout, stderr } = await ask(...args)
  expect(status).toBeGreaterThan(0)
  expect(stdout).toBe('')
  expect(stderr).toMatch(message)
})
