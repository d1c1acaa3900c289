import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { EdgeRuntime } from 'edge-runtime'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { openBrowser, serveFolders } from '../../../test-kit/test/open-browser.ts'
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

// A lock with what it pins in the cache of the folder.
const names = ['http-status-codes', 'tls-certificates']
const cache = createFolderCache(join(folder, 'packs', 'client'))
const client = source.createClient({ ...options, cache })
const pins: Record<string, source.Pin> = {}
for (const name of names) {
  const pack = await client.packs.get(`${name}@^1`)
  if (!pack.preview) pins[name] = source.createPin(pack, '^1')
}
const lock = join(folder, 'packs.lock')
writeFileSync(lock, source.serializeLock({ lockfile_version: 1, packs: pins }))
const prompt = (await (await source.openDocs(options)).prompt(names)).text

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
  it.each(programs)('in %s, and gives the same prompt of a lock without requests', async (...program) => {
    const code = `import * as client from ${JSON.stringify(entry.href)}
${useClient.toString()}
const used = await useClient(client, ${JSON.stringify(options)})
globalThis.fetch = () => { throw new Error('A request') }
const locked = await client.openDocs({ lock: ${JSON.stringify(lock)} })
const { text, packs } = await locked.prompt(${JSON.stringify(names)})
console.log(JSON.stringify({ used, text, packs: packs.map(({ version }) => version) }))`
    const result = await runModule(program, code)
    expect(result).toEqual({ used: expected, text: prompt, packs: ['1.0.0', '1.1.0'] })
    expect(prompt).toContain('Rotate a client certificate')
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

function locateNode(name: string): string {
  return join(dirname(require.resolve(`${name}/package.json`)), 'bin/node')
}
