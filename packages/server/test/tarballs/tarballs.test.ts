import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { LOG_LOADED } from '../../../cli/test/log-loaded.ts'
import { makeFolder } from '../../../cli/test/run-pack.ts'
import {
  countPackages,
  installTarballs,
  listNodeVersions,
  locatePack,
  measureFolder,
  packages,
  packPackages,
  runProgram,
  type ProgramRun,
} from './install-tarballs.ts'

const folder = mkdtempSync(join(tmpdir(), 'packs-tarballs-'))
const alone = join(folder, 'cli')
const complete = join(folder, 'server')
const nodes = listNodeVersions()
const SOURCE =
  '---\ntitle: Harbours\n---\n\nThe harbour master opens the harbour gate. The harbour master closes it.\n'
const BODY = SOURCE.slice(SOURCE.indexOf('\nThe'))

beforeAll(async () => {
  const tarballs = join(folder, 'tarballs')
  await packPackages(tarballs)
  await Promise.all([
    installTarballs(alone, tarballs, ['cli', 'client', 'codec', 'mcp', 'search']),
    installTarballs(complete, tarballs, packages),
  ])
}, 600_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('every tarball', () => {
  it.each(packages)(
    'of %s has its licence, its README and no dependency that only the workspace has',
    (name) => {
      const read = (file: string): string =>
        readFileSync(join(complete, 'node_modules/@packs', name, file), 'utf8')
      expect(read('LICENSE')).toContain('MIT License')
      expect(read('README.md')).toContain(`# @packs/${name}\n`)
      // That would run the package `pack` of somebody else.
      expect(read('README.md')).not.toMatch(/npx pack [a-z]/)
      expect(read('package.json')).not.toContain('workspace:')
      expect(JSON.parse(read('package.json'))).toMatchObject({ license: 'MIT', engines: { node: /^>=2\d/ } })
    },
  )
})

describe('the cli alone', () => {
  it('installs at most 60 packages and 60 MB', () => {
    expect(countPackages(alone)).toBeLessThanOrEqual(60)
    expect(measureFolder(join(alone, 'node_modules'))).toBeLessThanOrEqual(60_000_000)
  })

  it('is the program pack', async () => {
    const { version } = readManifest(alone)
    expect(await runProgram('npm', ['exec', '--', 'pack', '--version'], alone)).toMatchObject({
      status: 0,
      stdout: `${version}\n`,
    })
  })

  it.each(nodes)('builds, checks and decodes a pack with Node %s', async (_, node) => {
    const cwd = makeFolder({ 'harbours.md': SOURCE })
    const pack = (...args: string[]): Promise<ProgramRun> =>
      runProgram(node, [locatePack(alone), ...args], cwd)
    expect((await pack('init', 'first')).status).toBe(0)
    expect((await pack('build', '--json')).status).toBe(0)
    expect((await pack('check', 'dist')).status).toBe(0)
    expect((await pack('decode', 'dist/harbours.pack.json')).stdout).toBe(BODY)
    expect((await pack('search', 'harbour gate')).stdout).toMatch(/^1 {2}Harbours {2}harbours#~intro {2}/)
  })

  it.each(nodes)('starts from its bundle with Node %s', async (_, node) => {
    const cwd = makeFolder({ 'harbours.md': SOURCE })
    const pack = ['--import', LOG_LOADED, locatePack(alone), 'build', 'harbours.md']
    const { status, stderr } = await runProgram(node, pack, cwd)
    expect(status).toBe(0)
    expect(stderr).toMatch(/^loaded .*\/dist\/main\.js$/m)
    expect(stderr).not.toMatch(/^loaded .*\/@packs\/(?!cli\/)/m)
    const licences = readFileSync(join(alone, 'node_modules/@packs/cli/dist/bundle-licenses.txt'), 'utf8')
    expect(licences).toMatch(/^zod [\d.]+ \(MIT\)$/m)
  })

  it.each(nodes)('lists the commands of a catalog with Node %s, and says what they need', async (_, node) => {
    const cwd = makeFolder()
    const pack = (...args: string[]): Promise<ProgramRun> =>
      runProgram(node, [locatePack(alone), ...args], cwd)
    expect((await pack('--help')).stdout).toMatch(/^Commands with @packs\/server:\n(?: .*\n)* {2}serve /m)
    const { status, stdout } = await pack('serve', '--json')
    expect(status).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      error: {
        code: 'server_missing',
        message: 'pack serve needs the package @packs/server, which is not installed',
        hint: expect.stringContaining('npm install @packs/server'),
      },
    })
    expect(await pack('help', 'serve')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('npm install @packs/server'),
    })
  })

  it('finds the server in the working folder', async () => {
    const cwd = makeFolder(makeServer(readManifest(alone).version))
    expect(await runProgram(process.execPath, [locatePack(alone), 'serve', '--loud'], cwd)).toMatchObject({
      status: 1,
      stdout: 'serving\n',
    })
  })

  it('refuses a server of another version', async () => {
    const cwd = makeFolder(makeServer('9.4.0'))
    const { version } = readManifest(alone)
    const run = await runProgram(process.execPath, [locatePack(alone), 'serve', '--json'], cwd)
    expect(run.status).toBe(2)
    expect(JSON.parse(run.stdout)).toMatchObject({
      error: {
        code: 'server_incompatible',
        message: `@packs/server 9.4.0 does not work with pack ${version}`,
        hint: expect.stringContaining(`npm install @packs/cli@${version} @packs/server@${version}`),
      },
    })
  })
})

describe('each library', () => {
  it.each(nodes)('can be imported with Node %s', async (_, node) => {
    const decode = `import { decode } from '@packs/codec'; console.log(decode('ML', '[DECODE] ML=machine learning'))`
    expect(await runProgram(node, ['-e', decode, '--input-type=module'], alone)).toMatchObject({
      status: 0,
      stdout: 'machine learning\n',
    })
    const load = packages.map((name) => `await import('@packs/${name}')`)
    expect(await runProgram(node, ['-e', load.join('\n'), '--input-type=module'], complete)).toMatchObject({
      status: 0,
      stdout: '',
    })
  })
})

describe('the cli with the server', () => {
  it.each(nodes)('publishes a pack with Node %s, and serves it', async (_, node) => {
    const cwd = makeFolder({ 'harbours.md': SOURCE })
    const pack = async (...args: string[]): Promise<unknown> => {
      const { stdout } = await runProgram(node, [locatePack(complete), ...args, '--json'], cwd)
      return JSON.parse(stdout)
    }
    expect(await pack('publish', 'harbours.md')).toMatchObject({
      ok: true,
      published: [{ slug: 'harbours', version: '1.0.0', status: 'published' }],
    })
    await pack('accounts', 'create', '--email', 'ada@example.org', '--tier', 'pro')
    const { key } = (await pack('keys', 'create', '--account', 'ada@example.org', '--name', 'ci')) as {
      key: string
    }
    const url = await serve(node, cwd)
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    const response = await fetch(`${url}/api/v1/packs`, { headers: { 'x-api-key': key } })
    expect(await response.json()).toMatchObject({ data: [{ slug: 'harbours', version: '1.0.0' }] })
  })
})

/** Starts the installed `pack serve` and returns its address; it is killed when the test ends. */
async function serve(node: string, cwd: string): Promise<string> {
  const child = spawn(node, [locatePack(complete), 'serve', '--port', '0', '--json'], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  for await (const line of createInterface({ input: child.stdout })) {
    text += line
    if (line === '}') break
  }
  return (JSON.parse(text) as { url: string }).url
}

/** The smallest package that has the form of `@packs/server`. */
function makeServer(version: string): Record<string, string> {
  const server = 'node_modules/@packs/server'
  return {
    [`${server}/package.json`]: JSON.stringify({
      name: '@packs/server',
      version,
      type: 'module',
      exports: { '.': './index.js', './package.json': './package.json' },
    }),
    [`${server}/index.js`]: `
export const exitOfCode = {}
export const commands = {
  serve: async () => ({
    configure: (command) => command.option('--loud'),
    run: async (command, host) => {
      host.writeResult(command.opts().loud ? 'serving\\n' : '')
      return 'findings'
    },
  }),
}
`,
  }
}

function readManifest(project: string): { readonly version: string } {
  const text = readFileSync(join(project, 'node_modules/@packs/cli/package.json'), 'utf8')
  return JSON.parse(text) as { version: string }
}
