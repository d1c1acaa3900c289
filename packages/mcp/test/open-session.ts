import { Client, InMemoryTransport, type CallToolResult } from '@modelcontextprotocol/client'
import { loadTokenizer } from '@packs/codec/compress'
import { closeLater } from '../../test-kit/test/close-later.ts'
import { createPackServer, type PackServerOptions } from '@packs/mcp'
import { type PackSource } from '@packs/client/tools'

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
  source: PackSource,
  options: Partial<PackServerOptions> = {},
): Promise<Session> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const server = createPackServer(source, { version: '1.0.0', ...options })
  const client = new Client({ name: 'test', version: '1.0.0' })
  await Promise.all([server.connect(far), client.connect(near)])
  closeLater(() => client.close())
  return {
    client,
    call: async (name, args) => readAnswer(await client.callTool({ name, arguments: args })),
  }
}

/** Checks that a result is one text, and returns it. */
export function readAnswer({ content, structuredContent, isError = false }: CallToolResult): ToolAnswer {
  const [first, ...others] = content
  if (first?.type !== 'text' || others.length > 0) throw new Error('An answer is one text')
  return { text: first.text, data: structuredContent as ToolAnswer['data'], isError }
}

/** Tokens of the larger form of an answer. */
export async function countAnswer({ text, data }: ToolAnswer): Promise<number> {
  const tokenizer = await loadTokenizer('o200k_base')
  const structured = data === undefined ? 0 : tokenizer.countTokens(JSON.stringify(data))
  return Math.max(tokenizer.countTokens(text), structured)
}
