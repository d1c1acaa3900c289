import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { LOG_LOADED } from '../../../cli/test/log-loaded.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import {
  countPackages,
  installTarballs,
  listEntries,
  listNodeVersions,
  locatePack,
  measureFolder,
  packages,
  packPackages,
  readManifest,
  runProgram,
  type ProgramRun,
} from './install-tarballs.ts'

const folder = mkdtempSync(join(tmpdir(), 'packs-tarballs-'))
const alone = join(folder, 'cli')
const complete = join(folder, 'server')
const client = join(folder, 'client')
const old = join(folder, 'ai-6')
const nodes = listNodeVersions()
/** The versions of the AI SDK in the workspace. */
const { 'ai-6': sdk6, ai: sdk7 } = (
  JSON.parse(readFileSync('packages/ai-sdk/package.json', 'utf8')) as {
    devDependencies: Record<'ai' | 'ai-6', string>
  }
).devDependencies
const SDKS = [
  [6, sdk6.replace('npm:ai@', ''), old],
  [7, sdk7, complete],
] as const
/** What `openDocs` needs. */
const DOCS = ['client', 'codec', 'files', 'search'] as const
const SOURCE =
  '---\ntitle: Harbours\n---\n\nThe harbour master opens the harbour gate. The harbour master closes it.\n'
const BODY = SOURCE.slice(SOURCE.indexOf('\nThe'))

beforeAll(async () => {
  const tarballs = join(folder, 'tarballs')
  await packPackages(tarballs)
  await Promise.all([
    installTarballs(alone, tarballs, ['cli', 'mcp', 'theme', 'threads', ...DOCS]),
    installTarballs(client, tarballs, DOCS),
    installTarballs(complete, tarballs, packages, [`ai@${SDKS[1][1]}`]),
    installTarballs(old, tarballs, ['ai-sdk', ...DOCS], [`ai@${SDKS[0][1]}`]),
  ])
}, 600_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }), 600_000)

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
      expect(read('package.json')).not.toContain('"source":')
    },
  )

  it.each(packages)('of %s has every source map that its files name, and the maps their sources', (name) => {
    const dist = join(complete, 'node_modules/@packs', name, 'dist')
    // An earlier build may have left files whose source is gone.
    const isCurrent = (path: string): boolean =>
      existsSync(join('packages', name, 'src', path.replace(/(?:\.js|\.d\.ts)$/, '.ts')))
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:js|d\.ts)$/.test(path))
      .filter(isCurrent)
    expect(files.length).toBeGreaterThan(0)
    const named = files.flatMap((path) =>
      [...readFileSync(join(dist, path), 'utf8').matchAll(/^\/\/# sourceMappingURL=(.+)$/gm)].map((match) =>
        resolve(dist, dirname(path), match[1]!),
      ),
    )
    const isComplete = (path: string): boolean =>
      existsSync(path) && readFileSync(path, 'utf8').includes('"sourcesContent":["')
    expect(named.filter((path) => !isComplete(path))).toEqual([])
  })

  it('asks for no peers but the AI SDK, and the server and the evaluation of the cli', () => {
    const peers = packages.map((name) => readManifest(complete, name).peerDependencies ?? {})
    const { version } = readManifest(alone, 'cli')
    expect(Object.fromEntries(peers.flatMap((given) => Object.entries(given)))).toEqual({
      ai: '^6.0.0 || ^7.0.0',
      '@packs/eval': `^${version}`,
      '@packs/server': `^${version}`,
    })
  })
})

describe('the cli alone', () => {
  it('installs at most 60 packages and 60 MB', () => {
    expect(countPackages(alone)).toBeLessThanOrEqual(60)
    expect(measureFolder(join(alone, 'node_modules'))).toBeLessThanOrEqual(60_000_000)
  })

  it('is the program pack', async () => {
    const { version } = readManifest(alone, 'cli')
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
    expect((await pack('--help')).stdout).toMatch(
      /^Run a catalog, with @packs\/server:\n(?: .*\n)* {2}serve /m,
    )
    const { status, stdout } = await pack('serve', '--json')
    expect(status).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      error: {
        code: 'server_missing',
        message: 'pack serve needs the package @packs/server, which is not installed',
        hint: expect.stringContaining('the tarball of @packs/server'),
      },
    })
    expect(await pack('help', 'serve')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('the tarball of @packs/server'),
    })
  })

  it('has pack eval only with its package', async () => {
    const run = async (project: string): Promise<ProgramRun> =>
      runProgram(process.execPath, [locatePack(project), 'eval', 'dist', '--json'], makeFolder())
    const missing = await run(alone)
    expect(missing.status).toBe(2)
    expect(JSON.parse(missing.stdout)).toMatchObject({
      error: { code: 'eval_missing', hint: expect.stringContaining('the tarball of @packs/eval') },
    })
    const installed = await run(complete)
    expect(JSON.parse(installed.stdout)).toMatchObject({ error: { code: 'usage', message: 'no questions' } })
  })

  it('finds the server in the working folder', async () => {
    const cwd = makeFolder(makeServer(readManifest(alone, 'cli').version))
    expect(await runProgram(process.execPath, [locatePack(alone), 'serve', '--loud'], cwd)).toMatchObject({
      status: 1,
      stdout: 'serving\n',
    })
  })

  it('refuses a server of another version', async () => {
    const cwd = makeFolder(makeServer('9.4.0'))
    const { version } = readManifest(alone, 'cli')
    const run = await runProgram(process.execPath, [locatePack(alone), 'serve', '--json'], cwd)
    expect(run.status).toBe(2)
    expect(JSON.parse(run.stdout)).toMatchObject({
      error: {
        code: 'server_incompatible',
        message: `@packs/server 9.4.0 does not work with pack ${version}`,
        hint: expect.stringContaining(`such as ${version}, of @packs/cli and @packs/server`),
      },
    })
  })
})

describe('the client alone', () => {
  it('installs at most 16 packages and 45 MB', () => {
    expect(countPackages(client)).toBeLessThanOrEqual(16)
    expect(measureFolder(join(client, 'node_modules'))).toBeLessThanOrEqual(45_000_000)
  })

  it.each(nodes)('answers from a folder in three lines with Node %s', async (_, node) => {
    const program = `import { openDocs } from '@packs/client'
const docs = await openDocs(${JSON.stringify(makeFolder({ 'docs/harbours.md': SOURCE }))})
console.log((await docs.context('who opens the harbour gate', { budget: 2000 })).text)`
    const { status, stdout } = await runProgram(node, ['-e', program, '--input-type=module'], client)
    expect(status).toBe(0)
    expect(stdout).toContain('The harbour master opens the harbour gate.')
  })
})

describe('each library', () => {
  it.each(nodes)('can be imported with Node %s', async (_, node) => {
    const decode = `import { decode } from '@packs/codec'; console.log(decode('ML', '[DECODE] ML=machine learning'))`
    expect(await runProgram(node, ['-e', decode, '--input-type=module'], alone)).toMatchObject({
      status: 0,
      stdout: 'machine learning\n',
    })
    const entries = packages
      .filter((name) => name !== 'ai-sdk')
      .flatMap((name) => listEntries(complete, name))
    const load = entries.map((entry) => `await import('${entry}')`).join('\n')
    const args = ['-C', 'source', '-e', load, '--input-type=module']
    expect(await runProgram(node, args, complete)).toMatchObject({ status: 0, stdout: '' })
  })

  it('can be bundled with the condition source, and with maps to files that are there', async () => {
    const entries = (['ai-sdk', ...DOCS] as const).flatMap((name) => listEntries(complete, name))
    const contents = entries.map((entry, index) => `export * as e${index} from '${entry}'`).join('\n')
    const { warnings, outputFiles } = await build({
      stdin: { contents, resolveDir: complete },
      absWorkingDir: complete,
      outfile: join(complete, 'bundle.js'),
      bundle: true,
      write: false,
      sourcemap: true,
      sourcesContent: false,
      format: 'esm',
      platform: 'node',
      conditions: ['source'],
      external: ['ai'],
      logLevel: 'silent',
    })
    expect(warnings).toEqual([])
    const { sources } = JSON.parse(outputFiles[0]!.text) as { sources: readonly string[] }
    expect(sources).toContain('node_modules/@packs/client/dist/create-client.js')
    expect(sources.filter((path) => path !== '<stdin>' && !existsSync(join(complete, path)))).toEqual([])
  })
})

describe('the package for the AI SDK', () => {
  it.each(SDKS)('has the types of version %s, and works with it', async (sdk, _version, project) => {
    writeFileSync(
      join(project, 'agent.ts'),
      writeAgent(sdk === 6 ? 'MockLanguageModelV3' : 'MockLanguageModelV4'),
    )
    const tsc = [resolve('node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--skipLibCheck']
    const options = ['--target', 'es2024', '--module', 'nodenext', '--types', '', 'agent.ts']
    expect(await runProgram(process.execPath, [...tsc, ...options], project)).toMatchObject({
      status: 0,
      stdout: '',
    })
    expect(await runProgram(process.execPath, ['agent.ts'], project)).toMatchObject({
      status: 0,
      stdout: 'I read machine learning. query must have words. Write a question or keywords.\n',
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
    // A program without the server publishes to it.
    const { token } = (await pack('tokens', 'create')) as { token: string }
    const program = ['--import', setVariable('PACK_PUBLISH_TOKEN', token), locatePack(alone), 'publish']
    const sent = await runProgram(
      node,
      [...program, 'harbours.md', '--url', url, '--json'],
      makeFolder({ 'harbours.md': SOURCE }),
    )
    expect(JSON.parse(sent.stdout)).toMatchObject({
      ok: true,
      published: [{ slug: 'harbours', status: 'unchanged' }],
    })
  })
})

/** Writes a program that calls a tool and expands a term, with the mock of a model in a version of the AI SDK. */
function writeAgent(mock: string): string {
  return `import { packs, packTools } from '@packs/ai-sdk'
import { openDocs } from '@packs/client'
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from 'ai'
import { ${mock} as Mock } from 'ai/test'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const answer = { usage, finishReason: { unified: 'stop', raw: 'stop' }, warnings: [] } as const
const input = '{"query":"?!"}'
const mock = new Mock({
  doGenerate: [
    {
      ...answer,
      finishReason: { unified: 'tool-calls', raw: 'tools' },
      content: [{ type: 'tool-call', toolCallId: '1', toolName: 'search_packs', input }],
      warnings: [],
    },
    { ...answer, content: [{ type: 'text', text: 'I read 水.' }], warnings: [] },
  ],
})
const model = wrapLanguageModel({ model: mock, middleware: packs({ rosetta: '[DECODE] 水=machine learning' }) })
const other = tool({ inputSchema: jsonSchema<{ text: string }>({ type: 'object' }), execute: ({ text }) => text })
const tools = { ...(await packTools(await openDocs({ url: 'http://127.0.0.1:9' }))), other }
const { text } = await generateText({ model, tools, stopWhen: stepCountIs(2), prompt: 'x' })
const seen = JSON.stringify(mock.doGenerateCalls[1]?.prompt)
console.log(text, /query must have words[^(]*(?= \\()/.exec(seen)?.[0])
`
}

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

/** Returns a module that sets a variable of the environment. */
function setVariable(name: string, value: string): string {
  return `data:text/javascript,process.env.${name}='${value}'`
}
