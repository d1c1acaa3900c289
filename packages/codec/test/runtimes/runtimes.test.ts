import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeFolder } from '../../../test-kit/src/run-pack.ts'
import { compress } from '../../src/compress/compress.ts'
import '../load-o200k-base.ts'
import { readFixtures } from '../fixture-files.ts'
import { openBrowser, serveFolders } from '../../../test-kit/src/open-browser.ts'
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
  ['Deno', /^deno /, join(bin, 'deno'), 'run', '--quiet', '--no-config', '--allow-read'],
  ['Bun', /^\d+\./, join(bin, 'bun'), 'run'],
]

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
console.log(JSON.stringify(runFixtures(codec, files)))
`,
  )
})

describe('the compressor returns the same result', () => {
  test.each(otherNodes)('in %s', { timeout: 120_000 }, async (_, version, command) => {
    const short = 'The volatile xenon log of the jovial xenon jars. '.repeat(20)
    // Long enough for arrays whose memory is freed explicitly.
    const long = Array.from({ length: 9_000 }, (_, line) => `${line} ${short.slice(line % 30, 60)}`).join(
      '\n',
    )
    const runs = [
      [short, 'glossary-1'],
      [short, 'dense-1'],
      [short, 'max-1'],
      [long, 'dense-1'],
    ] as const
    const address = JSON.stringify(new URL('../../dist/compress.js', import.meta.url).href)
    writeFileSync(
      join(folder, 'compress.js'),
      `import { compress } from ${address}
const rosettas = []
for (const [text, scheme] of ${JSON.stringify(runs)}) rosettas.push((await compress(text, { scheme })).rosetta)
console.log(JSON.stringify({ version: process.version, rosettas }))
`,
    )
    const { stdout } = await run(command, [join(folder, 'compress.js')])
    const rosettas = runs.map(([text, scheme]) => compress(text, { scheme }).rosetta)
    expect(JSON.parse(stdout)).toEqual({ version: expect.stringMatching(version), rosettas })
    expect(rosettas.every((rosetta) => rosetta.includes('='))).toBe(true)
  })
})

describe('the built root entry passes every fixture', () => {
  test.each(programs)('in %s', { timeout: 120_000 }, async (_, version, command, ...options) => {
    expect((await run(command, ['--version'])).stdout).toMatch(version)
    const { stdout } = await run(command, [...options, join(folder, 'main.js')])
    expect(JSON.parse(stdout)).toEqual({ cases: all, failures: [] })
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
