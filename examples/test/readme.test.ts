import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readExample } from '../../packages/test-kit/test/example-packs.ts'
import { runProgram, type ServedCatalog, startCatalog } from './start-catalog.ts'

const examples = join(import.meta.dirname, '..')
const program = join(examples, '..', 'packages', 'cli', 'bin', 'pack.js')
const readme = readFileSync(join(examples, '..', 'README.md'), 'utf8')

// Inside the examples, so that a snippet finds what their package.json has.
mkdirSync(join(examples, '.packs'), { recursive: true })
const folder = mkdtempSync(join(examples, '.packs', 'readme-'))
let catalog: ServedCatalog

beforeAll(async () => {
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n')
  mkdirSync(join(folder, 'docs'))
  for (const name of ['tls-certificates', 'incident-response'])
    writeFileSync(
      join(folder, 'docs', `${name}.md`),
      readExample(name).text.replace(/^---\n[^]*?\n---\n/, ''),
    )
  catalog = await startCatalog()
}, 300_000)
afterAll(async () => {
  await catalog.close()
  rmSync(folder, { recursive: true })
})

/** The arguments of each command of `pack` in the README, in order. */
const commands = [...readme.matchAll(/^npx pack (.*?)(?: +#.*)?$/gm)].map(([, args]) => args!.split(' '))

/** Replaces the folders of the reader in an argument with those of the test. */
const useFolder = (word: string): string =>
  word.replace('~/my-project/docs', 'docs').replace('/tmp/my-packs', 'my-packs')

async function runPack(args: readonly string[]): Promise<string> {
  const env = { ...process.env, DATABASE_URL: '', REDIS_URL: '', XDG_CACHE_HOME: join(folder, 'cache') }
  const { status, stdout, stderr } = await runProgram(process.execPath, [program, ...args], {
    env,
    cwd: folder,
  })
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

describe('README.md', () => {
  it('has these commands', () => {
    expect(commands.map(([command]) => command)).toEqual(['build', 'publish', 'serve'])
  })

  it('searches a catalog', async () => {
    const code = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => match[1]!)
    const file = join(folder, 'search.ts')
    writeFileSync(
      file,
      code.find((text) => text.includes('docs.context'))!,
    )
    const env = { ...process.env, PACK_URL: catalog.url, PACK_KEY: catalog.keys.pro }
    const result = await runProgram(process.execPath, ['-C', 'source', file], { env, cwd: folder })
    expect(result).toMatchObject({ status: 0, stderr: '' })
    expect(result.stdout).toMatch(/^Documents [^]*<doc id="tls-certificates#/)
  })

  it('builds packs of a folder of docs', async () => {
    const stdout = await runPack(commands[0]!.map(useFolder))
    expect(stdout).toMatch(/^tls-certificates +\d+\.\d\d % /m)
    expect(stdout).toMatch(/2 packs$/m)
  })

  it('publishes docs to a catalog, and serves them', async () => {
    expect(await runPack(commands[1]!.map(useFolder))).toMatch(/published +tls-certificates@1\.0\.0/)
    const server = spawn(process.execPath, [program, ...commands[2]!, '--port', '0'], {
      cwd: folder,
      env: { ...process.env, DATABASE_URL: '', REDIS_URL: '' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const { value: url } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next()
    const response = await fetch(`${url}/browse/tls-certificates`)
    expect(response.status).toBe(200)
    server.kill()
    await once(server, 'exit')
  })
})
