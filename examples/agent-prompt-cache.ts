// An agent whose provider caches the prompt: messages as Anthropic has them, with cache breakpoints. The packs of the first question
// are one cached block. A pack for the second question is added behind it, so not a byte of the first block changes.
//
//     PACK_URL=http://127.0.0.1:8080 PACK_KEY=kp_… MODEL_URL=https://…/v1 MODEL_KEY=… npx node examples/agent-prompt-cache.ts
import { createClient, type FullPack } from '@packs/client'
import { composePrompt, extendPrompt } from '@packs/codec/prompt'
import { readEnvironment } from './read-environment.ts'

const { PACK_URL, PACK_KEY, MODEL_URL, MODEL_KEY, MODEL_NAME } = readEnvironment()
const catalog = createClient({ url: PACK_URL, key: PACK_KEY })

const first = composePrompt([await getPack('tls-certificates'), await getPack('http-status-codes')])
await ask([first.text], 'Why does a client not trust a certificate chain?')

const more = extendPrompt(first, [await getPack('incident-response')])
await ask([first.text, more.append], 'What do responders write down during an incident?')

async function getPack(slug: string): Promise<FullPack> {
  const pack = await catalog.packs.get(slug)
  if (pack.preview) throw new Error('Whole packs need a key of a Pro account')
  return pack
}

interface Answer {
  readonly content: readonly { readonly text: string }[]
  readonly usage: {
    readonly input_tokens: number
    readonly cache_creation_input_tokens: number
    readonly cache_read_input_tokens: number
  }
}

/** @param blocks parts of the system prompt; each ends at a breakpoint */
async function ask(blocks: readonly string[], question: string): Promise<void> {
  const response = await fetch(`${MODEL_URL}/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': MODEL_KEY,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({
      model: MODEL_NAME,
      max_tokens: 1000,
      system: blocks.map((text) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } })),
      messages: [{ role: 'user', content: question }],
    }),
  })
  if (!response.ok) throw new Error(`The model answered with status ${response.status}`)
  const { content, usage } = (await response.json()) as Answer
  console.log(`Question  ${question}`)
  console.log(`Answer    ${content.map(({ text }) => text).join('')}`)
  const { input_tokens: sent, cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage
  console.log(`Tokens    ${read} read from the cache, ${written} written to it, ${sent} others`)
}
