import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, type VersionNegotiationMode } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createFolderCache } from '@packs/client/node'
import { serializePack } from '@packs/codec/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readAnswer, type ToolAnswer } from '../../../mcp/test/open-session.ts'
import { makePack, sketches } from '../../../mcp/test/sample-packs.ts'
import { startMcp, startProject } from '../../../server/test/mcp/start-mcp.ts'
import { actor } from '../../../test-kit/test/make-version.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { launcher, makeFolder, NO_CACHE, startPack } from '../../../test-kit/test/run-pack.ts'

const packs = await Promise.all(sketches.map(makePack))
const files = Object.fromEntries(
  packs.map(({ pack }) => [`packs/${pack.slug}-${pack.version}.pack.json`, serializePack(pack)]),
)

interface Session {
  readonly client: Client
  readonly notes: string[]
  call(name: string, args: Record<string, unknown>): Promise<ToolAnswer>
}

/** Starts the program as an MCP host does. */
async function startSession(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; mode?: VersionNegotiationMode } = {},
): Promise<Session> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, 'mcp', ...args],
    env: { PATH: process.env['PATH'] ?? '', HOME: makeFolder(), ...NO_CACHE, ...options.env },
    stderr: 'pipe',
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  })
  const notes: string[] = []
  transport.stderr?.on('data', (chunk: Buffer) => notes.push(chunk.toString()))
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: options.mode ?? 'legacy' } },
  )
  await client.connect(transport)
  onTestFinished(() => client.close())
  return {
    client,
    notes,
    call: async (name, given) => readAnswer(await client.callTool({ name, arguments: given })),
  }
}

describe('pack mcp', () => {
  it.each([
    ['the current revision', { pin: '2026-07-28' }],
    ['an earlier revision', 'legacy'],
  ] as const)('serves packs and markdown of a folder, in %s', async (_revision, mode) => {
    const notes = '---\ntitle: Notes on OCSP\n---\n# Notes\n\nStapling saves a request.\n'
    const cwd = makeFolder({ ...files, 'notes/ocsp.md': notes, 'packs/broken.pack.json': '{}' })
    const session = await startSession(['.'], { cwd, mode })
    expect((await session.client.listTools()).tools.map(({ name }) => name)).toEqual([
      'search_packs',
      'read_pack',
    ])
    const found = await session.call('search_packs', { query: 'stapling' })
    expect(found.text).toMatch(
      /^Documents [^]*<doc id="notes-ocsp#notes"[^]*\n\nStapling saves a request\.\n/,
    )
    const read = await session.call('read_pack', { pack: 'notes-ocsp' })
    expect(read.text).toMatch(
      /^notes-ocsp@0\.0\.0\n\nDocuments .*\n<doc id="notes-ocsp">\n# Notes\n\nStapling saves a request\.\n\n<\/doc>\n$/,
    )
    const older = await session.call('read_pack', { pack: 'http-status-codes@1.0.0', section: '503' })
    expect(older.text).toContain('The server is overloaded.\n')
    const outline = await session.call('read_pack', { pack: 'tls-certificates', max_tokens: 200 })
    expect(outline.text).toContain('- automatic-renewal (')
    expect(session.notes.join('')).toMatch(/broken\.pack\.json is skipped \(invalid_pack\)/)
  })

  it('serves a catalog with the address and the key of the environment', async () => {
    const server = await startMcp()
    const key = await server.addKey('pro', 100)
    const session = await startSession([], { env: { PACK_URL: server.origin, PACK_KEY: key } })
    const found = await session.call('search_packs', { query: 'renew with an ACME client' })
    expect(found.text).toMatch(/^Documents [^\n]*\n<doc id="tls-certificates#renewal…renewal-by-hand">/)
    const args = { pack: 'tls-certificates', section: 'revocation' }
    expect((await session.call('read_pack', args)).text).toContain('A revoked certificate is listed')
    const denied = await startSession(['--url', server.origin], { env: { PACK_KEY: 'kp_wrong' } })
    const text =
      'The API key is malformed, unknown, revoked or expired. Answer with what you have, and tell the user about this error. (invalid_api_key)'
    expect(await denied.call('read_pack', args)).toMatchObject({ isError: true, text })
  })

  it('serves the versions of a lock from the cache, with the catalog gone', async () => {
    const { server, cwd, env, offline } = await startProject()
    const added = await runInProcess(['add', 'http-status-codes@~1.0', 'tls-certificates'], { cwd, env })
    expect(added.status).toBe(0)
    await server.close()
    const named = ['--name', 'web', '--about', 'Notes on the web.']
    const session = await startSession(['--lock', 'packs.lock', ...named], { cwd, env: offline })
    const { tools } = await session.client.listTools()
    expect(tools[0]!.description).toContain('Notes on the web.')
    const found = await session.call('search_web', { query: 'renew with an ACME client' })
    expect(found.text).toMatch(/^Documents [^\n]*\n<doc id="tls-certificates#renewal…renewal-by-hand">/)
    const { text } = await session.call('read_web', { pack: 'http-status-codes@^1' })
    expect(text).toMatch(/^http-status-codes@1\.0\.0\n/)
  })

  it('serves a lock without its purged packs, and says of these when and why they were purged', async () => {
    const { server, cwd, env } = await startProject()
    const added = await runInProcess(['add', 'tls-certificates', 'http-status-codes'], { cwd, env })
    expect(added.status).toBe(0)
    await server.catalog.packs.purge({ slug: 'tls-certificates', reason: 'a key leaked', actor })
    await createFolderCache(join(env.XDG_CACHE_HOME, 'packs/client')).set('purges', '{}')
    const session = await startSession(['--lock', 'packs.lock'], { cwd, env })
    const answer = await session.call('read_pack', { pack: 'tls-certificates' })
    expect(answer).toMatchObject({ isError: true })
    expect(answer.text).toMatch(/was purged on \d{4}-\d\d-\d\d: a key leaked/)
    expect(answer.text).toContain('tell the user to run `pack update tls-certificates --latest`')
    expect((await session.call('read_pack', { pack: 'http-status-codes' })).isError).toBeFalsy()
    expect((await session.call('search_packs', { query: 'status' })).text).toContain('http-status-codes#')
  })

  it('writes nothing but the protocol to stdout, and ends when stdin ends', async () => {
    const cwd = makeFolder(files)
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const child = startPack(['mcp', 'packs'], { cwd })
    onTestFinished(() => void child.kill('SIGKILL'))
    let notes = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (notes += text))
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
    const ended = once(child, 'close')
    child.stdin!.end(`no JSON\n${'x'.repeat(2_000_000)}\n${JSON.stringify(request)}\n`)
    const messages = [await lines.next(), await lines.next(), await lines.next()]
    expect(messages.map(({ value }) => JSON.parse(value as string) as unknown)).toMatchObject([
      { id: null, error: { code: -32_700 } },
      { id: null, error: { code: -32_600 } },
      { id: 1, result: { tools: [{}, {}] } },
    ])
    expect(await ended).toEqual([0, null])
    expect(notes.split('\n').slice(0, 2)).toEqual([
      'pack mcp: A line is not JSON. The message was ignored.',
      'pack mcp: A line has more than 1048576 bytes. The message was ignored.',
    ])
    expect(notes).not.toContain('bug')
  })

  it('ends on SIGTERM', async () => {
    const child = startPack(['mcp', 'packs'], { cwd: makeFolder(files) })
    child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`)
    await once(child.stdout!, 'data')
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    expect(await ended).toEqual([143, null])
  })

  it.each([
    [2, [], 'no packs are named'],
    [2, ['docs', '--url', 'https://packs.example'], '--url takes no inputs'],
    [2, ['docs', '--lock', 'packs.lock'], '--lock takes no inputs'],
    [1, ['missing'], 'missing does not exist'],
    [2, ['a', '--name', 'no name'], 'The option name is not one to 50 letters'],
    [2, ['a', '--about', 'x'.repeat(401)], 'The option about is not a text of at most 400 characters'],
    [1, ['b'], 'no packs and no markdown in b'],
    [1, ['--lock', 'packs.lock'], 'packs.lock does not exist'],
  ])('ends with %i for %j', async (expected, args, message) => {
    const cwd = makeFolder({ 'b/x.txt': '', 'a/x.md': '# X\n' })
    const { status, stdout, stderr } = await runInProcess(['mcp', ...args], { cwd, env: { PACK_URL: '' } })
    expect({ status, stdout }).toEqual({ status: expected, stdout: '' })
    expect(stderr).toContain(message)
  })

  it.each([[[]], [['--lock', 'packs.lock']]])(
    'refuses the key over http to other machines: %j',
    async (args) => {
      const { status, stdout, stderr } = await runInProcess(['mcp', ...args], {
        cwd: makeFolder({ 'packs.lock': '{"lockfile_version": 1, "packs": {}}' }),
        env: { PACK_URL: 'http://packs.invalid', PACK_KEY: 'kp_secret' },
      })
      expect({ status, stdout }).toEqual({ status: 4, stdout: '' })
      expect(stderr).toContain(
        'error: over http, a key is sent to this machine only\nhint: use https, or set PACK_ALLOW_HTTP=1',
      )
      expect(stderr).not.toContain('kp_secret')
    },
  )

  it('refuses a lock that is damaged', async () => {
    const cwd = makeFolder({ 'packs.lock': '{"lockfile_version": 2}' })
    const { status, stderr } = await runInProcess(['mcp', '--lock', join(cwd, 'packs.lock')])
    expect(status).toBe(1)
    expect(stderr).toContain('lockfile_version is not 1')
  })
})
