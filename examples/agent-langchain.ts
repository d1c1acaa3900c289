// LangChain.js: a retriever that fills a prompt with the passages that answer, and an agent that searches and reads by itself.
//
//     PACK_URL=http://127.0.0.1:8080 PACK_KEY=kp_… MODEL_URL=https://…/v1 MODEL_KEY=… npx node examples/agent-langchain.ts 'Question?'
import { Document } from '@langchain/core/documents'
import { BaseRetriever } from '@langchain/core/retrievers'
import { ChatOpenAI } from '@langchain/openai'
import { type Client, type Context, createClient, type ContextQuestion } from '@packs/client'
import { type AgentTools, createTools } from '@packs/client/tools'
import { createAgent, type DynamicStructuredTool, tool } from 'langchain'
import { readEnvironment } from './read-environment.ts'

/** What the catalog says of a passage, and the tokenizer of its count. */
export type PassageMetadata = Context['passages'][number] & Pick<Context, 'tokenizer'>

/**
 * Retrieves passages of at most `budget` tokens together. Each document is a passage in its tags, which name pack and section
 * and which no text can close. The first one begins with the sentence that they are data. Joined with nothing between them,
 * the documents are the `text` of the context.
 */
export class PackRetriever extends BaseRetriever<PassageMetadata> {
  lc_namespace = ['packs', 'retrievers']
  readonly #catalog: Client
  readonly #options: ContextQuestion

  /** @param options LangChain gives a retriever no signal, so that of a run belongs here */
  constructor(catalog: Client, options: ContextQuestion = {}) {
    super()
    this.#catalog = catalog
    this.#options = options
  }

  override async _getRelevantDocuments(question: string): Promise<Document<PassageMetadata>[]> {
    const { text, passages, tokenizer } = await this.#catalog.context(question, {
      links: 'drop',
      ...this.#options,
    })
    const end = `</${/^<([^ ]+)/m.exec(text)?.[1]}>\n`
    const contents = text.split(end)
    return passages.map((passage, index) => {
      return new Document({ pageContent: contents[index]! + end, metadata: { ...passage, tokenizer } })
    })
  }
}

/** The tools for an agent of LangChain. The model gets the text of an answer; the program finds the data as the artifact. */
export function createLangChainTools(tools: AgentTools): DynamicStructuredTool[] {
  return tools.map(({ name, description, parameters, execute }) =>
    tool(
      async (input, { signal }: { readonly signal?: AbortSignal }) => {
        const { text, data } = await execute(input, { signal })
        return [text, data]
      },
      { name, description, schema: parameters, responseFormat: 'content_and_artifact' },
    ),
  )
}

if (import.meta.main) {
  const { PACK_URL, PACK_KEY, MODEL_URL, MODEL_KEY, MODEL_NAME } = readEnvironment()
  const question = process.argv[2] ?? 'Why does a client not trust a certificate chain?'
  const catalog = createClient({ url: PACK_URL, key: PACK_KEY })
  // Any chat model of LangChain that calls tools will do, such as `new ChatAnthropic({ model: '…' })` of `@langchain/anthropic`.
  const model = new ChatOpenAI({
    model: MODEL_NAME,
    apiKey: MODEL_KEY || 'none',
    configuration: { baseURL: MODEL_URL },
  })
  console.log(`Question  ${question}`)

  const documents = await new PackRetriever(catalog, { budget: 1500 }).invoke(question)
  const context = documents.map(({ pageContent }) => pageContent).join('')
  const { text } = await model.invoke([
    { role: 'system', content: `Answer from these passages only:\n${context}` },
    { role: 'user', content: question },
  ])
  for (const { metadata } of documents)
    console.log(
      `Passage   ${metadata.pack}@${metadata.version} ${metadata.path.join(' › ')}, ${metadata.tokens} tokens`,
    )
  console.log(`Answer    ${text}`)

  const agent = createAgent({ model, tools: createLangChainTools(createTools(catalog)) })
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: question }] })
  const called = messages.filter(({ type }) => type === 'tool').map(({ name }) => name)
  console.log(`Called    ${called.join(', ')}`)
  console.log(`Agent     ${messages.at(-1)!.text}`)
}
