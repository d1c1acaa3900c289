import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Tier } from '@packs/catalog'
import { expect, it } from 'vitest'
import { buildVersion } from '../../packages/test-kit/test/build-version.ts'
import { actor } from '../../packages/test-kit/test/make-version.ts'
import { type CatalogServer, startCatalogServer } from '../../packages/test-kit/test/start-server.ts'
import { type ProgramResult, runProgram } from './start-catalog.ts'

const kites = `# The kite maker's notes\n\n<!-- ${'draft '.repeat(60)} -->\n\nA kite flies when its bridle is short.\n\n## Tails\n\nA kite needs a tail.\n${'Add a knot to the tail. '.repeat(40)}\n`
const tea = `# Tea\n\n<!-- ${'draft '.repeat(20)} -->\n\nGreen tea draws at 70 degrees.\n\n## Cups\n\n${'Warm the cup. '.repeat(60)}\n`

let accounts = 0
async function createKey({ catalog }: CatalogServer, tier: Tier): Promise<string> {
  const wanted = { email: `${++accounts}@example.org`, tier, daily: null, actor }
  const { account } = await catalog.accounts.createClaimed(wanted, new Date())
  return (await catalog.keys.create({ accountId: account.id, name: 'sample', actor }, new Date())).key
}

interface Sample {
  readonly code: string
  readonly isPro: boolean
}

/** The blocks of a page that have a button to copy them. */
function findSamples(body: string): Sample[] {
  const targets = new Set([...body.matchAll(/data-copy-target="([^"]+)"/g)].map(([, id]) => id))
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }
  return [...body.matchAll(/<pre\b([^>]*)>([^]*?)<\/pre>/g)]
    .filter(
      ([, attributes = '']) =>
        / data-copy\b(?!-)/.test(attributes) || targets.has(/id="([^"]+)"/.exec(attributes)?.[1]),
    )
    .map(({ 2: code = '', index }) => ({
      code: code
        .replace(/<[^>]+>/g, '')
        .replace(/&(?:#(\d+)|(\w+));/g, (_all, number: string, name: string) =>
          number ? String.fromCodePoint(Number(number)) : named[name]!,
        ),
      isPro: /needs a <b>Pro<\/b> key[^]{0,20}$/.test(body.slice(0, index)),
    }))
}

/** What a program printed, which must have succeeded. */
function readOutput({ status, stdout, stderr }: ProgramResult): string {
  return status === 0 && stderr === '' ? stdout : `failed with ${status}: ${stderr}${stdout}`
}

/** Runs a sample as a reader would, with a new key. Returns what it prints, or undefined for what does not run. */
async function run(server: CatalogServer, { code, isPro }: Sample): Promise<string | undefined> {
  const PACK_KEY = await createKey(server, isPro ? 'pro' : 'free')
  const env = { ...process.env, PACK_KEY }
  if (code.startsWith('curl '))
    return readOutput(await runProgram('sh', ['-c', code.replace('curl ', 'curl -sS ')], { env }))
  if (code.startsWith('import ')) {
    const file = join(import.meta.dirname, `sample-${++accounts}.tmp.ts`)
    const [, result] = [...code.matchAll(/^const (?:\{ )?(\w+)/gm)].at(-1)!
    writeFileSync(file, `${code}\nconsole.log(JSON.stringify(${result}), Object.keys(${result}))\n`)
    try {
      return readOutput(await runProgram(process.execPath, [file], { env }))
    } finally {
      rmSync(file)
    }
  }
  const [url] = /https?:[^\s"'\\]+\/mcp(?=[\s"'])/.exec(code) ?? []
  if (url === undefined || !code.includes('Bearer ')) return undefined
  const client = new Client({ name: 'sample', version: '1.0.0' })
  const headers = { authorization: `Bearer ${PACK_KEY}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  const { content } = await client.callTool({ name: 'search_packs', arguments: { query: 'kite' } })
  await client.close()
  return JSON.stringify(content)
}

/** Samples that print no text of a pack. */
const TEXTLESS = /usage|status|packTools|\/versions"$/

it('every sample of every page works with a new Free key, and gives text of this catalog', async () => {
  const server = await startCatalogServer([
    await buildVersion({ slug: 'kites', title: "The kite maker's notes", body: kites, scheme: 'minify-1' }),
    await buildVersion({ slug: 'green-tea', title: 'Tea', body: tea, scheme: 'minify-1' }),
  ])
  for (const path of ['/', '/docs', '/browse/kites/use', '/prompt?pack=kites&pack=green-tea']) {
    const samples = findSamples(await (await fetch(server.url + path)).text())
    const printed = await Promise.all(samples.map((sample) => run(server, sample)))
    const wrong = samples.filter(({ code }, at) => {
      const text = printed[at] ?? 'kite'
      return /\/docs\/errors\/|^failed/.test(text) || !(TEXTLESS.test(code) || /kite|tea/.test(text))
    })
    expect([path, wrong, printed.some((text) => text !== undefined)]).toEqual([path, [], true])
  }
})

it('a newcomer has a key and a call with it after a sign-up and a form', async () => {
  const server = await startCatalogServer([
    await buildVersion({ slug: 'kites', title: "The kite maker's notes", body: kites, scheme: 'minify-1' }),
  ])
  const post = (path: string, form: Readonly<Record<string, string>>, cookie = ''): Promise<Response> =>
    fetch(`${server.url}/settings/${path}`, {
      method: 'POST',
      headers: { origin: server.url, cookie },
      body: new URLSearchParams(form),
      redirect: 'manual',
    })
  const signedUp = await post('sign-up', { email: 'new@example.org', password: 'four words of a kite' })
  const cookie = signedUp.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  const page = await (await fetch(`${server.url}/settings`, { headers: { cookie } })).text()
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(page)!
  const [, name = ''] = /id="name"[^>]*value="([^"]+)"/.exec(page)!
  const created = await post('keys', { name, token }, cookie)
  expect(created.headers.get('cache-control')).toBe('no-store')
  const samples = findSamples(await created.text())
  const [key, call] = samples.map(({ code }) => code)
  expect(call).toContain(`-H "x-api-key: ${key}"`)
  expect(await run(server, samples[1]!)).toContain('A kite flies when its bridle is short.')
  expect(server.log.join('\n')).not.toContain(key)
})

it('samples of an empty catalog work too', async () => {
  const server = await startCatalogServer([])
  const pages = await Promise.all(['/', '/docs'].map(async (path) => (await fetch(server.url + path)).text()))
  const samples = pages.flatMap(findSamples).filter(({ code }) => !code.includes('/mcp'))
  const printed = await Promise.all(samples.map((sample) => run(server, sample)))
  expect(printed.filter((text) => /\/docs\/errors\/|^failed/.test(text ?? ''))).toEqual([])
  expect(printed.filter((text) => text !== undefined).length).toBeGreaterThan(3)
})
