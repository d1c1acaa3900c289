// An agent with AI SDK 7: it knows two packs, searches the catalog for more, and notes what it found. Models answer in plain
// words; for one that copies terms of the prompt all the same, the middleware expands those that are certain.
//
//     PACK_URL=http://127.0.0.1:8080 PACK_KEY=kp_… MODEL_URL=https://…/v1 MODEL_KEY=… npx node examples/agent-ai-sdk.ts 'Question?'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { openDocs } from '@packs/client'
import { packs, packTools } from '@packs/ai-sdk'
import { isStepCount, streamText, tool, wrapLanguageModel } from 'ai'
import { z } from 'zod'
import { readEnvironment } from './read-environment.ts'

const { PACK_URL, PACK_KEY, MODEL_URL, MODEL_KEY, MODEL_NAME } = readEnvironment()
const question = process.argv[2] ?? 'What must on-call engineers write down during an incident?'

const docs = await openDocs({ url: PACK_URL, key: PACK_KEY })
const prompt = await docs.prompt(['incident-response', 'http-status-codes'])

const provider = createOpenAICompatible({ name: 'model', baseURL: MODEL_URL, apiKey: MODEL_KEY })
const model = wrapLanguageModel({
  model: provider(MODEL_NAME),
  middleware: packs({ rosetta: prompt.rosetta }),
})
const notes: string[] = []
const note = tool({
  description: 'Keep a sentence for later',
  inputSchema: z.object({ sentence: z.string() }),
  execute: ({ sentence }) => void notes.push(sentence),
})

const result = streamText({
  model,
  instructions: prompt.text,
  tools: { ...(await packTools(docs)), note },
  stopWhen: isStepCount(6),
  prompt: question,
})
console.log(`Packs     ${prompt.packs.map(({ pack, version }) => `${pack}@${version}`).join(', ')}`)
console.log(`Question  ${question}`)
process.stdout.write('Answer    ')
for await (const piece of result.textStream) process.stdout.write(piece)
const calls = (await result.steps).flatMap((step) => step.toolCalls)
console.log(`\nCalled    ${calls.map(({ toolName }) => toolName).join(', ')}`)
console.log(`Noted     ${notes.join(' ')}`)
