import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { EdgeRuntime } from 'edge-runtime'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeFolder } from '../../../test-kit/src/run-pack.ts'
import { openBrowser, serveFolders } from '../../../test-kit/src/open-browser.ts'
import * as source from '../../src/index.ts'
import { createFolderCache } from '../../src/node/index.ts'
import { startCatalog } from '../start-catalog.ts'
import { useClient } from './use-client.ts'

const run = promisify(execFile)
const entry = new URL('../../dist/index.js', import.meta.url)
const bin = fileURLToPath(new URL('../../../../node_modules/.bin/', import.meta.url))
// Node 20 and 22 are dependencies of the codec's tests: packages for Linux on x64.
const require = createRequire(new URL('../../../codec/package.json', import.meta.url))
const folder = makeFolder()

type Program = [name: string, command: string, ...options: string[]]
const otherNodes: Program[] =
  process.platform === 'linux' && process.arch === 'x64'
    ? [
        ['Node 20', locateNode('node-20')],
        ['Node 22', locateNode('node-22')],
      ]
    : []
const programs: Program[] = [
  ...otherNodes,
  ['the Node of the workspace', process.execPath],
  ['Deno', join(bin, 'deno'), 'run', '--quiet', '--node-modules-dir=manual', '--allow-all'],
  ['Bun', join(bin, 'bun'), 'run'],
]

/** What `useClient` returns from the source, in this Node. */

if (!existsSync(entry)) throw new Error('The runtimes get what is built: run `pnpm build` first.')
const api = await startCatalog()
const options = { url: `http://127.0.0.1:${api.port}`, key: api.pro.key }
const expected = await useClient(source, options)
writeFileSync(join(folder, 'package.json'), '{"type":"module"}')

/** Runs a module in a program and returns what it prints, as JSON. */
async function runModule([, command, ...programOptions]: Program, code: string): Promise<unknown> {
  const path = join(folder, 'main.js')
  writeFileSync(path, code)
  const env = { ...process.env, XDG_CACHE_HOME: folder }
  const { stdout } = await run(command, [...programOptions, path], { env })
  return JSON.parse(stdout)
}

/** Joins the client, the codec and `useClient` to one script. */
async function bundle(format: 'esm' | 'iife'): Promise<string> {
  const contents = `import * as client from ${JSON.stringify(fileURLToPath(entry))}
import { useClient } from ${JSON.stringify(fileURLToPath(new URL('use-client.ts', import.meta.url)))}
globalThis.run = (options) => useClient(client, options)`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('../..', import.meta.url)) },
    bundle: true,
    write: false,
    format,
    platform: 'browser',
  })
  return outputFiles[0]!.text
}

describe('the built client searches, gets and composes', () => {
  it.each(programs)('in %s', async (...program) => {
    const code = `import * as client from ${JSON.stringify(entry.href)}
${useClient.toString()}
console.log(JSON.stringify(await useClient(client, ${JSON.stringify(options)})))`
    expect(await runModule(program, code)).toEqual(expected)
  })

  it('in a browser', async () => {
    writeFileSync(join(folder, 'browser.js'), await bundle('esm'))
    const server = await serveFolders({ test: folder })
    const page = await (await openBrowser()).newPage()
    await page.goto(server.address)
    const result = await page.evaluate<readonly string[]>(
      `import('/test/browser.js').then(() => run(${JSON.stringify(options)}))`,
    )
    expect(result).toEqual(expected)
  })

  it('in an edge runtime', async () => {
    const runtime = new EdgeRuntime()
    runtime.evaluate(await bundle('iife'))
    const result = await runtime.evaluate<Promise<readonly string[]>>(`run(${JSON.stringify(options)})`)
    expect([...result]).toEqual(expected)
  })
})

describe('the same lock gives the same prompt with the server gone', () => {
  const names = ['http-status-codes', 'tls-certificates']
  let lock: source.Lock
  let prompt: string

  beforeAll(async () => {
    const cache = createFolderCache(join(folder, 'packs', 'client'))
    const client = source.createClient({ ...options, cache })
    const pins: Record<string, source.Pin> = {}
    for (const name of names) {
      const pack = await client.packs.get(`${name}@^1`)
      if (!pack.preview) pins[name] = source.createPin(pack, '^1')
    }
    lock = { lockfile_version: 1, packs: pins }
    prompt = (await client.prompt(names)).text
    writeFileSync(join(folder, 'packs.lock'), source.serializeLock(lock))
    await api.app.close()
  })

  it.each(programs)('in %s', async (...program) => {
    const code = `import { createClient } from ${JSON.stringify(entry.href)}
const client = createClient({ lock: ${JSON.stringify(join(folder, 'packs.lock'))} })
const { text, from } = await client.prompt(${JSON.stringify(names)})
console.log(JSON.stringify({ text, from: from.map(({ version }) => version) }))`
    expect(await runModule(program, code)).toEqual({ text: prompt, from: ['1.0.0', '1.1.0'] })
    expect(prompt).toContain('Rotate a client certificate')
  })
})

function locateNode(name: string): string {
  return join(dirname(require.resolve(`${name}/package.json`)), 'bin/node')
}
