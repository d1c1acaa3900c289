import { Client, InMemoryTransport, type CallToolResult } from '@modelcontextprotocol/client'
import { loadTokenizer } from '@packs/codec/compress'
import { closeLater } from '../../test-kit/test/close-later.ts'
import { createTools, type DocsSource, type ToolOptions } from '@packs/client/internal'
import { createPackServer, type PackServerOptions } from '@packs/mcp'

/** A client of a server over a source, in this process. */
export interface Session {
  readonly client: Client
  call(name: string, args: Record<string, unknown>): Promise<ToolAnswer>
}

export interface ToolAnswer {
  readonly text: string
  readonly data: Record<string, unknown> | undefined
  readonly isError: boolean
}

export async function openSession(
  source: DocsSource,
  { onError, ...options }: ToolOptions & Pick<PackServerOptions, 'onError'> = {},
): Promise<Session> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const server = createPackServer(createTools(source, options), { version: '1.0.0', onError })
  const client = new Client({ name: 'test', version: '1.0.0' })
  await Promise.all([server.connect(far), client.connect(near)])
  closeLater(() => client.close())
  return { client, call: async (name, args) => readAnswer(await client.callTool({ name, arguments: args })) }
}

/** Checks that a result is one text, and returns it. */
export function readAnswer({ content, _meta, isError = false }: CallToolResult): ToolAnswer {
  const [first, ...others] = content
  if (first?.type !== 'text' || others.length > 0) throw new Error('An answer is one text')
  return { text: first.text, data: _meta?.['packs/source'] as ToolAnswer['data'], isError }
}

export async function countAnswer({ text }: ToolAnswer): Promise<number> {
  const tokenizer = await loadTokenizer('o200k_base')
  return tokenizer.countTokens(text)
}
