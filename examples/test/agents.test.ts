import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, OpenAIProvider, Runner } from '@openai/agents'
import { type AgentTools, openDocs } from '@packs/client'
import { loadTokenizer } from '@packs/codec/compress'
import { createAgent } from 'langchain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLangChainTools, PackRetriever } from '../agent-langchain.ts'
import { createOpenAiTools } from '../agent-openai.ts'
import { startStandInModel, type StandInModel } from '../stand-in-model.ts'
import { examplePacks, plainLine, readExample } from '../../packages/test-kit/test/example-packs.ts'
import { runProgram, type ServedCatalog, startCatalog } from './start-catalog.ts'

const examples = join(import.meta.dirname, '..')
const program = join(examples, '..', 'packages', 'cli', 'bin', 'pack.js')
const pages = ['agents.md', 'frameworks.md', 'your-docs.md'].map((name) =>
  readFileSync(join(examples, '..', 'docs', name), 'utf8'),
)
const document = pages.join('\n')
const snippets = extractSnippets(document)
const lines = new Map(examplePacks.map(({ slug, text }) => [slug, text.split('\n').map(plainLine)]))

// Inside the examples, so that a snippet finds what their package.json has.
mkdirSync(join(examples, '.packs'), { recursive: true })
const folder = mkdtempSync(join(examples, '.packs', 'agents-doc-'))
let catalog: ServedCatalog
let model: StandInModel

beforeAll(async () => {
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n')
  mkdirSync(join(folder, 'docs'))
  writeFileSync(join(folder, 'docs', 'tls-certificates.md'), readExample('tls-certificates').text)
  mkdirSync(join(folder, 'bin'))
  // `npx pack` runs the program of the folder.
  for (const [name, before] of Object.entries({ pack: '', npx: 'shift\n' })) {
    const script = `#!/bin/sh\n${before}exec "${process.execPath}" "${program}" "$@"\n`
    writeFileSync(join(folder, 'bin', name), script, { mode: 0o755 })
  }
  ;[catalog, model] = await Promise.all([startCatalog(), startStandInModel()])
}, 300_000)
afterAll(async () => {
  await Promise.all([catalog.close(), model.close()])
  rmSync(folder, { recursive: true })
})

interface Snippet {
  readonly language: string
  readonly line: number
  readonly code: string
}

/** The code of a document in order, but for blocks of plain text. */
function extractSnippets(markdown: string): Snippet[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```\n/gms)]
    .map(({ 1: language = '', 2: code = '', index }) => {
      return { language, line: markdown.slice(0, index).split('\n').length, code }
    })
    .filter(({ language }) => language !== 'text')
}

/** The environment in which the document is read; packs are cached in the folder. */
function createEnvironment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
    XDG_CACHE_HOME: join(folder, 'cache'),
    PACK_URL: catalog.url,
    PACK_KEY: catalog.keys.pro,
    MODEL_URL: model.url,
  }
}

/** A server in the configuration of an MCP host. */
interface HostServer {
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Starts a server as a host does, with the address and the key of the test. */
function createTransport(json: string): Transport {
  const filled = json
    .replaceAll('https://packs.example.org', catalog.url)
    .replaceAll('kp_…', catalog.keys.pro)
  const config = JSON.parse(filled) as Record<string, Record<string, HostServer>>
  const { command, args = [], env, url, headers } = Object.values(Object.values(config)[0]!)[0]!
  if (url !== undefined)
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } })
  expect([command, args[0]]).toEqual(['node', '/home/me/answers/node_modules/@packs/cli/bin/pack.js'])
  return new StdioClientTransport({
    command: join(folder, 'bin', 'pack'),
    args: args.slice(1),
    env: { PATH: process.env['PATH']!, ...env },
    cwd: folder,
  })
}

async function run(program: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runProgram(
    process.execPath,
    ['-C', 'source', join(examples, program), ...args],
    { env: createEnvironment() },
  )
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  return stdout
}

const readRows = (stdout: string, name: string): string[] =>
  [...stdout.matchAll(new RegExp(`^${name} +(.*)$`, 'gm'))].map((match) => plainLine(match[1]!))

/** The system prompt of the last request. */
function lastPrompt(): string {
  const content = model.requests.at(-1)!.messages[0]!.content
  return typeof content === 'string' ? content : ''
}

const listed = (...languages: readonly string[]): Snippet[] =>
  snippets.filter(({ language }) => languages.includes(language))

describe('examples', () => {
  it('decode-in-agent.ts restores the source of a pack that it fetched, and finds a paragraph in it', async () => {
    const stdout = await run('decode-in-agent.ts')
    const [found] = readRows(stdout, 'Found')
    expect(lines.get('payments-api-reference')).toContain(found)
    expect(found).toContain('idempotency_mismatch')
    expect(readRows(stdout, 'Source')).toEqual(['is restored byte for byte'])
    const [fetched, decoded] = readRows(stdout, 'Tokens')[0]!.match(/\d+/g)!.map(Number)
    expect(fetched).toBeLessThan(decoded!)
  })

  it('agent-ai-sdk.ts searches, notes and answers', async () => {
    const stdout = await run('agent-ai-sdk.ts')
    expect(readRows(stdout, 'Called')).toEqual(['search_packs, note'])
    const [answer] = readRows(stdout, 'Answer')
    expect([...lines.values()].flat()).toContain(answer)
    expect(readRows(stdout, 'Noted')).toEqual([answer])
  })

  it('agent-langchain.ts answers from passages within a budget, and as an agent', async () => {
    const stdout = await run('agent-langchain.ts')
    const tokens = readRows(stdout, 'Passage').map((row) => Number(/(\d+) tokens$/.exec(row)![1]))
    expect(readRows(stdout, 'Passage')[0]).toMatch(/^tls-certificates@1\.0\.0 TLS certificates in operation/)
    expect(tokens.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(1500)
    expect(readRows(stdout, 'Called')).toEqual(['search_packs'])
    for (const name of ['Answer', 'Agent'])
      expect(lines.get('tls-certificates')).toContain(readRows(stdout, name)[0])
  })

  it('agent-openai.ts searches and answers', async () => {
    const stdout = await run('agent-openai.ts')
    expect(readRows(stdout, 'Called')).toEqual(['search_packs'])
    expect(lines.get('tls-certificates')).toContain(readRows(stdout, 'Answer')[0])
  })

  it('agent-fetch.ts prints its answer while it streams', async () => {
    const stdout = await run('agent-fetch.ts')
    const [answer] = readRows(stdout, 'Answer')
    expect(lines.get('payments-api-reference')).toContain(answer)
    // The model has read terms and written words.
    expect(lastPrompt().split('\n').map(plainLine)).not.toContain(answer)
  })

  it('agent-prompt-cache.ts reads what it sent before from the cache and writes what it adds', async () => {
    const stdout = await run('agent-prompt-cache.ts')
    const [first, second] = readRows(stdout, 'Answer')
    expect(lines.get('tls-certificates')).toContain(first)
    expect(lines.get('incident-response')).toContain(second)
    const [one, two] = readRows(stdout, 'Tokens').map((row) => row.match(/\d+/g)!.map(Number))
    expect(one![0]).toBe(0)
    expect(two![0]).toBe(one![1])
    expect(two![1]).toBeGreaterThan(0)
    const blocks = JSON.stringify(model.requests.at(-1))
    expect(blocks.match(/cache_control/g)).toHaveLength(1)
    expect(blocks).toMatch(/incident\?","cache_control":\{"type":"ephemeral"\}\}\]\}\]\}$/)
  })

  it('answer-question.ts gives the same answer for whole packs, a composed prompt and sections, none of which costs more than the one before', async () => {
    const stdout = await run('answer-question.ts')
    const answers = readRows(stdout, 'Answer')
    expect(new Set(answers).size).toBe(1)
    expect([...lines.values()].flat()).toContain(answers[0])
    const costs = ['whole', 'prompt', 'sections'].map((way) => Number.parseInt(readRows(stdout, way)[0]!))
    expect(costs).toEqual(costs.toSorted((a, b) => b - a))
    const [whole, prompt, sections] = costs.map((cost) => cost.toLocaleString('en'))
    expect(document.replace(/\s+/g, ' ')).toContain(`took ${whole}, ${prompt} and ${sections} tokens`)
    expect(readRows(await run('answer-question.ts', '--sections'), 'sections')).toEqual([
      `${costs[2]} tokens`,
    ])
    expect(lastPrompt().match(/^<doc id=/gm)!.length).toBeGreaterThan(1)
  })
})

const question = 'Why does a client not trust a certificate chain?'

/** Asks an agent of each framework, and returns its answer. */
const frameworks = {
  async 'LangChain.js'(tools: AgentTools, url: string, signal?: AbortSignal) {
    const chat = new ChatOpenAI({ model: 'any', apiKey: 'none', configuration: { baseURL: url } })
    const agent = createAgent({ model: chat, tools: createLangChainTools(tools) })
    const asked = { messages: [{ role: 'user', content: question }] }
    const { messages } = await agent.invoke(asked, signal && { signal })
    return messages.at(-1)!.text
  },
  async 'OpenAI Agents SDK'(tools: AgentTools, url: string, signal?: AbortSignal) {
    const modelProvider = new OpenAIProvider({ baseURL: url, apiKey: 'none', useResponses: false })
    const agent = new Agent({ name: 'any', model: 'any', tools: createOpenAiTools(tools) })
    const runner = new Runner({ modelProvider, tracingDisabled: true })
    return (await runner.run(agent, question, signal && { signal })).finalOutput ?? ''
  },
}

describe.each(Object.entries(frameworks))('tools in %s', (_, ask) => {
  const connect = async (key: string) => (await openDocs({ url: catalog.url, key })).tools()

  /** What the model was given for each of its calls. */
  const readResults = ({ requests }: StandInModel): string[] =>
    requests
      .at(-1)!
      .messages.filter(({ role }) => role === 'tool')
      .map(({ content }) => (typeof content === 'string' ? content : ''))

  /** Asks with a model that calls a tool first, and returns what it was given. */
  async function call(key: string, tool: string, input: object): Promise<string> {
    const scripted = await startStandInModel([[tool, input]])
    await ask(await connect(key), scripted.url)
    await scripted.close()
    return readResults(scripted)[0]!
  }

  it('give the model passages within max_tokens', async () => {
    const text = await call(catalog.keys.pro, 'search_packs', { query: question, max_tokens: 600 })
    expect(text).toMatch(/<doc id="tls-certificates#/)
    expect((await loadTokenizer('o200k_base')).countTokens(text)).toBeLessThanOrEqual(600)
  })

  it.each([
    ['an unknown pack', { pack: 'tls-certificate' }, /with search_packs/],
    ['a wrong argument', { pack: 'tls-certificates', max_tokens: 5 }, /max_tokens/],
    ['a missing argument', { section: 'renewal' }, /pack/],
  ])('tell the model what to do about %s, and the run goes on', async (_name, input, hint) => {
    expect(await call(catalog.keys.pro, 'read_pack', input)).toMatch(hint)
  })

  it('give the model of a Free account previews only', async () => {
    const input = { pack: 'tls-certificates', section: 'diagnosis' }
    expect(await call(catalog.keys.pro, 'read_pack', input)).toContain('openssl s_client')
    expect(await call(catalog.keys.free, 'read_pack', input)).toMatch(/Pro/)
  })

  it('answer from a folder as from a catalog', async () => {
    const docs = await openDocs(join(examples, 'packs'))
    const answer = await ask(await docs.tools(), model.url)
    expect(lines.get('tls-certificates')).toContain(plainLine(answer))
    expect(answer).toBe(await ask(await connect(catalog.keys.pro), model.url))
  })

  it('reject with the reason of a signal, and ask nothing more', async () => {
    const controller = new AbortController()
    const [search, read] = await connect(catalog.keys.pro)
    const aborting: typeof search.execute = (given, options) => {
      controller.abort(new Error('left'))
      return search.execute(given, options)
    }
    const before = model.requests.length
    await expect(ask([{ ...search, execute: aborting }, read], model.url, controller.signal)).rejects.toThrow(
      /left|abort/i,
    )
    expect(model.requests).toHaveLength(before + 1)
  })
})

describe('PackRetriever', () => {
  const connect = (key: string) => openDocs({ url: catalog.url, key })

  it('returns passages as documents, within the budget', async () => {
    const docs = await connect(catalog.keys.pro)
    const documents = await new PackRetriever(docs, { budget: 1000 }).invoke(question)
    const { tokens, passages } = await docs.context(question, { budget: 1000, links: 'drop' })
    expect(tokens).toBeLessThanOrEqual(1000)
    expect(documents.length).toBeGreaterThan(1)
    expect(documents.map(({ metadata }) => metadata)).toEqual(passages)
    expect(documents.map(({ pageContent }) => pageContent)).toEqual(passages.map(({ text }) => text))
  })

  it('returns nothing if nothing matches, only previews for a Free account, and takes a signal', async () => {
    const free = await connect(catalog.keys.free)
    expect(await new PackRetriever(free).invoke('zyxwvut')).toEqual([])
    const asked = 'return codes of openssl s_client'
    const [whole, preview] = await Promise.all(
      [await connect(catalog.keys.pro), free].map((docs) => new PackRetriever(docs).invoke(asked)),
    )
    expect(JSON.stringify(whole)).toContain('openssl s_client -connect')
    expect(JSON.stringify(preview)).not.toContain('openssl s_client -connect')
    const signal = AbortSignal.abort(new Error('left'))
    await expect(new PackRetriever(free, { signal }).invoke(question)).rejects.toThrow('left')
    await expect(new PackRetriever(free, { budget: 0 }).invoke(question)).rejects.toThrow(/budget/)
  })
})

it('an agent says what its environment lacks', async () => {
  const env = { ...createEnvironment(), MODEL_URL: '' }
  const { status, stderr } = await runProgram(
    process.execPath,
    ['-C', 'source', join(examples, 'agent-fetch.ts')],
    { env },
  )
  expect([status, stderr]).toEqual([2, expect.stringMatching(/^Set MODEL_URL: .*stand-in-model\.ts/)])
})

describe('the docs on agents', () => {
  it('has code in these languages only, so that all of it runs here', () => {
    expect(new Set(snippets.map(({ language }) => language))).toEqual(new Set(['json', 'ts', 'sh']))
  })

  it.each(listed('json'))('line $line starts a server that a host can use', async ({ code }) => {
    const client = new Client({ name: 'host', version: '1.0.0' })
    await client.connect(createTransport(code))
    const { tools } = await client.listTools()
    const [, name] = /"--name",\s*"(\w+)"/.exec(code) ?? []
    const names = name === undefined ? ['search_packs', 'read_pack'] : [`search_${name}`, `read_${name}`]
    expect(tools.map((tool) => tool.name)).toEqual(names)
    const { content, isError } = await client.callTool({
      name: names[0]!,
      arguments: { query: 'certificate chain' },
    })
    await client.close()
    expect(isError).not.toBe(true)
    expect(JSON.stringify(content)).toContain('tls-certificates')
  })

  // In order: the client with a lock reads what the commands above it have pinned.
  it.each(listed('ts', 'sh'))('line $line runs', async ({ language, line, code }) => {
    const file = join(folder, `line-${line}.${language}`)
    writeFileSync(file, language === 'sh' ? `set -e\n${code}` : code)
    const result = await (language === 'sh'
      ? runProgram('sh', [file], { env: createEnvironment(), cwd: folder })
      : runProgram(process.execPath, ['-C', 'source', file], { env: createEnvironment(), cwd: folder }))
    expect({ ...result, stdout: '' }).toEqual({ status: 0, stdout: '', stderr: expect.any(String) })
    expect(result.stdout).not.toBe('')
    expect(language === 'ts' ? result.stderr : '').toBe('')
  })
})
