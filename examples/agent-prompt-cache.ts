// An agent whose provider caches the prompt: messages as Anthropic has them, with a cache breakpoint. The packs of the first question
// are the system prompt. A pack for the second question comes in the message that asks it, so not a byte before it changes.
//
//     PACK_URL=http://127.0.0.1:8080 PACK_KEY=kp_… MODEL_URL=https://…/v1 MODEL_KEY=… npx node examples/agent-prompt-cache.ts
import { openDocs } from '@packs/client'
import { readEnvironment } from './read-environment.ts'

const { PACK_URL, PACK_KEY, MODEL_URL, MODEL_KEY, MODEL_NAME } = readEnvironment()
const docs = await openDocs({ url: PACK_URL, key: PACK_KEY })

const first = await docs.prompt(['tls-certificates', 'http-status-codes'])
const chat: Message[] = []
await ask('Why does a client not trust a certificate chain?')

const more = await docs.prompt(['incident-response'], { scheme: 'none' })
await ask('What do responders write down during an incident?', more.text)

interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: readonly { readonly type: string; readonly text: string }[]
}

interface Answer {
  readonly content: Message['content']
  readonly usage: {
    readonly input_tokens: number
    readonly cache_creation_input_tokens: number
    readonly cache_read_input_tokens: number
  }
}

/** @param added packs that this question needs, before it */
async function ask(question: string, ...added: string[]): Promise<void> {
  const blocks = [...added, question].map((text) => ({ type: 'text', text }))
  const last = { ...blocks.pop()!, cache_control: { type: 'ephemeral' } }
  const response = await fetch(`${MODEL_URL}/messages`, {
    method: 'POST',
    redirect: 'error',
    headers: {
      'content-type': 'application/json',
      'x-api-key': MODEL_KEY,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({
      model: MODEL_NAME,
      max_tokens: 1000,
      system: [{ type: 'text', text: first.text }],
      // Only the last block is marked: providers allow few marks, and find what they cached before it.
      messages: [...chat, { role: 'user', content: [...blocks, last] }],
    }),
  })
  if (!response.ok) throw new Error(`The model answered with status ${response.status}`)
  const { content, usage } = (await response.json()) as Answer
  chat.push(
    { role: 'user', content: [...blocks, { type: 'text', text: question }] },
    { role: 'assistant', content },
  )
  console.log(`Question  ${question}`)
  console.log(`Answer    ${content.map(({ text }) => text).join('')}`)
  const { input_tokens: sent, cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage
  console.log(`Tokens    ${read} read from the cache, ${written} written to it, ${sent} others`)
}
