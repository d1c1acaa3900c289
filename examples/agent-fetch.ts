// An agent without a library: bare `fetch` against an endpoint that is compatible with OpenAI's, and an answer that streams. The model
// reads terms and answers in plain words, so nothing is decoded.
//
//     PACK_URL=http://127.0.0.1:8080 PACK_KEY=kp_… MODEL_URL=https://…/v1 MODEL_KEY=… npx node examples/agent-fetch.ts 'Question?'
import { openDocs } from '@packs/client'
import { readEnvironment } from './read-environment.ts'

const { PACK_URL, PACK_KEY, MODEL_URL, MODEL_KEY, MODEL_NAME } = readEnvironment()
const question = process.argv[2] ?? 'What if an idempotency key is reused for another endpoint?'

const docs = await openDocs({ url: PACK_URL, key: PACK_KEY })
const { text, tokens } = await docs.prompt(['payments-api-reference', 'http-status-codes'])

const response = await fetch(`${MODEL_URL}/chat/completions`, {
  method: 'POST',
  redirect: 'error',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${MODEL_KEY}` },
  body: JSON.stringify({
    model: MODEL_NAME,
    stream: true,
    messages: [
      { role: 'system', content: text },
      { role: 'user', content: question },
    ],
  }),
})
if (!response.ok || response.body === null)
  throw new Error(`The model answered with status ${response.status}`)

console.log(`Prompt    ${tokens} tokens`)
console.log(`Question  ${question}`)
process.stdout.write('Answer    ')
const answer = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(readDeltas())
for await (const piece of answer) process.stdout.write(piece)
console.log()

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string | null } }[]
}

/** Turns server-sent events into the text of their deltas. An event may be cut anywhere. */
function readDeltas(): TransformStream<string, string> {
  let rest = ''
  return new TransformStream({
    transform(piece, controller) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (!line.startsWith('data: {')) continue
        const chunk = JSON.parse(line.slice('data: '.length)) as Chunk
        const content = chunk.choices[0]?.delta.content
        if (content) controller.enqueue(content)
      }
    },
  })
}
