// The OpenAI Agents SDK: an agent that searches and reads packs by itself.
//
//     PACK_URL=http://127.0.0.1:8080 PACK_KEY=kp_… MODEL_URL=https://…/v1 MODEL_KEY=… npx node examples/agent-openai.ts 'Question?'
import { Agent, OpenAIProvider, Runner, type Tool, tool } from '@openai/agents'
import { type AgentTools, openDocs } from '@packs/client'
import { readEnvironment } from './read-environment.ts'

/** The tools for an agent of the SDK. `execute` checks the arguments, and says what is wrong with them. */
export function createOpenAiTools(tools: AgentTools): Tool[] {
  return tools.map(({ name, description, parameters, execute }) =>
    tool({
      name,
      description,
      parameters: { ...parameters, additionalProperties: true as const },
      // Strict schemas have no optional arguments.
      strict: false,
      execute: async (input, _context, details) => (await execute(input, { signal: details?.signal })).text,
      // What a model can act on is an answer already. Anything else, such as an abort, ends the run.
      errorFunction: null,
    }),
  )
}

if (import.meta.main) {
  const { PACK_URL, PACK_KEY, MODEL_URL, MODEL_KEY, MODEL_NAME } = readEnvironment()
  const question = process.argv[2] ?? 'Why does a client not trust a certificate chain?'
  const docs = await openDocs({ url: PACK_URL, key: PACK_KEY })
  const agent = new Agent({
    name: 'Documentation',
    instructions: 'Answer from the passages that the tools return.',
    model: MODEL_NAME,
    tools: createOpenAiTools(await docs.tools()),
  })
  // OpenAI's own models need neither provider nor `Runner`: `run(agent, question)` with OPENAI_API_KEY in the environment.
  const modelProvider = new OpenAIProvider({
    baseURL: MODEL_URL,
    apiKey: MODEL_KEY || 'none',
    useResponses: false,
  })
  // Traces would be sent to OpenAI.
  const runner = new Runner({ modelProvider, tracingDisabled: true })
  const { finalOutput, newItems } = await runner.run(agent, question)
  const called = newItems.flatMap(({ rawItem }) => (rawItem?.type === 'function_call' ? rawItem.name : []))
  console.log(`Question  ${question}`)
  console.log(`Called    ${called.join(', ')}`)
  console.log(`Answer    ${finalOutput}`)
}
