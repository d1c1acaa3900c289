import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readExample } from '../../packages/test-kit/test/example-packs.ts'
import { runProgram } from './start-catalog.ts'

const examples = join(import.meta.dirname, '..')
const program = join(examples, '..', 'packages', 'cli', 'bin', 'pack.js')
const readme = readFileSync(join(examples, '..', 'README.md'), 'utf8')

// Inside the examples, so that a snippet finds what their package.json has.
mkdirSync(join(examples, '.packs'), { recursive: true })
const folder = mkdtempSync(join(examples, '.packs', 'readme-'))

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n')
  mkdirSync(join(folder, 'docs'))
  for (const name of ['tls-certificates', 'incident-response'])
    writeFileSync(
      join(folder, 'docs', `${name}.md`),
      readExample(name).text.replace(/^---\n[^]*?\n---\n/, ''),
    )
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The arguments of each command of `pack` in the README, in order. */
const commands = [...readme.matchAll(/^npx pack (.*?)(?: > .*)?$/gm)].map(([, args]) =>
  [...args!.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!),
)

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
    const names = ['build', 'context', 'prompt', 'publish', 'serve']
    expect(commands.map(([command]) => command)).toEqual(names)
  })

  it('searches a folder in three lines', async () => {
    const file = join(folder, 'ask.ts')
    writeFileSync(file, /^```ts\n(.*?)^```$/ms.exec(readme)![1]!)
    // In the root of the clone, where its own docs are.
    const cwd = join(examples, '..')
    const result = await runProgram(process.execPath, ['-C', 'source', file], { cwd })
    expect(result).toMatchObject({ status: 0, stderr: '' })
    expect(result.stdout).toMatch(/^Documents [^]*<doc id="pinning#/)
  })

  it('builds packs of a folder of docs, searches it, and writes a prompt of them', async () => {
    const [build, context, prompt] = commands
    expect(await runPack(build!.map(useFolder))).toContain('tls-certificates')
    expect(await runPack(context!.map(useFolder))).toMatch(/^Documents [^]*<doc id="/)
    const stdout = await runPack(prompt!.map(useFolder))
    expect(stdout.match(/<doc title="/g)).toHaveLength(2)
  })

  it('publishes docs to a catalog, and serves them', async () => {
    expect(await runPack(commands[3]!.map(useFolder))).toContain('published')
    const server = spawn(process.execPath, [program, ...commands[4]!, '--port', '0'], {
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
