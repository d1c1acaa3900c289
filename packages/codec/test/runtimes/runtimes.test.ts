import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { compress } from '../../src/compress/compress.ts'
import '../load-o200k-base.ts'
import { readFixtures } from '../fixture-files.ts'
import { openBrowser, serveFolders } from '../../../test-kit/test/open-browser.ts'
import type { FixtureRun } from './run-fixtures.ts'

const require = createRequire(import.meta.url)
const run = promisify(execFile)
const entry = fileURLToPath(new URL('../../dist/index.js', import.meta.url))
const bin = fileURLToPath(new URL('../../../../node_modules/.bin/', import.meta.url))
const files = [...readFixtures().values()]
const all = files.reduce((sum, file) => sum + file.cases.length, 0)
const folder = makeFolder()

// Node 20 and 22 are packages for Linux on x64; the other programs belong to the workspace and run on every system.
const hasOtherNodes = process.platform === 'linux' && process.arch === 'x64'
type Program = [name: string, version: RegExp, command: string, ...options: string[]]
const otherNodes: Program[] = hasOtherNodes
  ? [
      ['Node 20', /^v20\./, locateNode(require.resolve('node-20/package.json'))],
      ['Node 22', /^v22\./, locateNode(require.resolve('node-22/package.json'))],
    ]
  : []
const programs: Program[] = [
  ...otherNodes,
  ['the Node of the workspace', /^v\d+\./, process.execPath],
  ['Deno', /^Deno \d/, join(bin, 'deno'), 'run', '--quiet', '--no-config', '--allow-read'],
  ['Bun', /^Bun \d/, join(bin, 'bun'), 'run'],
]

const SHORT = 'The volatile xenon log of the jovial xenon jars. '.repeat(20)
const RUNS = [
  [SHORT, 'dense-2'],
  [SHORT, 'max-2'],
  // Long enough for arrays whose memory is freed explicitly.
  [Array.from({ length: 4_000 }, (_, line) => `${line} ${SHORT.slice(line % 30, 60)}`).join('\n'), 'dense-2'],
] as const
let expected: readonly string[]

beforeAll(async () => {
  if (!existsSync(entry)) throw new Error('The runtimes get what is built: run `pnpm build` first.')
  if (!hasOtherNodes)
    console.warn('Node 20 and 22 are tried on Linux x64 only: there are no packages of them for this system.')
  await build({
    entryPoints: [fileURLToPath(new URL('run-fixtures.ts', import.meta.url))],
    outfile: join(folder, 'run-fixtures.js'),
    format: 'esm',
    target: 'es2022',
  })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'fixtures.json'), JSON.stringify(files))
  writeFileSync(
    join(folder, 'main.js'),
    `import { readFileSync } from 'node:fs'
import * as codec from ${JSON.stringify(pathToFileURL(entry).href)}
import { runFixtures } from './run-fixtures.js'
const files = JSON.parse(readFileSync(new URL('./fixtures.json', import.meta.url), 'utf8'))
const { deno, bun } = { deno: globalThis.Deno?.version.deno, bun: process.versions.bun }
const version = deno ? 'Deno ' + deno : bun ? 'Bun ' + bun : process.version
const rosettas = []
if (process.argv[2] === 'compress') {
  const { compress } = await import(${JSON.stringify(new URL('../../dist/compress.js', import.meta.url).href)})
  for (const [text, scheme] of ${JSON.stringify(RUNS)}) rosettas.push((await compress(text, { scheme })).rosetta)
}
console.log(JSON.stringify({ version, rosettas, ...runFixtures(codec, files) }))
`,
  )
  expected = RUNS.map(([text, scheme]) => compress(text, { scheme }).rosetta)
})

describe('the built root entry passes every fixture, and the compressor of other Nodes returns the same', () => {
  test.each(programs)('in %s', { timeout: 120_000 }, async (name, version, command, ...options) => {
    expect(expected.every((rosetta) => rosetta.includes('='))).toBe(true)
    const isOtherNode = otherNodes.some(([other]) => other === name)
    const main = [join(folder, 'main.js'), isOtherNode ? 'compress' : '']
    const { stdout } = await run(command, [...options, ...main])
    expect(JSON.parse(stdout)).toEqual({
      version: expect.stringMatching(version),
      // The compressor is for Node.
      rosettas: isOtherNode ? expected : [],
      cases: all,
      failures: [],
    })
  })

  test('in a browser', { timeout: 300_000 }, async () => {
    const server = await serveFolders({ dist: dirname(entry), test: folder })
    const page = await (await openBrowser()).newPage()
    await page.goto(server.address)
    const result = await page.evaluate<FixtureRun>(`(async () => {
      const codec = await import('/dist/index.js')
      const { runFixtures } = await import('/test/run-fixtures.js')
      return runFixtures(codec, await (await fetch('/test/fixtures.json')).json())
    })()`)
    expect(result).toEqual({ cases: all, failures: [] })
  })

  test('the number of cases is that of the files', () => {
    expect(all).toBeGreaterThan(150)
  })
})

function locateNode(manifest: string): string {
  return join(dirname(manifest), 'bin/node')
}
