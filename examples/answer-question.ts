// Answers a question from a catalog, and shows what the prompt costs three ways: the sources of the packs that match, in one
// composed prompt, or only their sections that answer.
//
//     PACK_URL=http://127.0.0.1:8080 PACK_KEY=kp_… MODEL_URL=https://…/v1 npx node examples/answer-question.ts [--whole|--prompt|--sections]
import { parseArgs } from 'node:util'
import { openDocs } from '@packs/client'
import { readEnvironment } from './read-environment.ts'

const { PACK_URL, PACK_KEY, MODEL_URL, MODEL_KEY, MODEL_NAME } = readEnvironment()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    whole: { type: 'boolean' },
    prompt: { type: 'boolean' },
    sections: { type: 'boolean' },
  },
})
const question = positionals[0] ?? 'Why does a client not trust a certificate chain?'
/** Most tokens of the sections together. */
const BUDGET = 1200

const docs = await openDocs({ url: PACK_URL, key: PACK_KEY })
const { sections } = await docs.search(question, { limit: 6 })
if (sections.length === 0) throw new Error(`The catalog has nothing for: ${question}`)
const names = [...new Set(sections.map(({ pack, version }) => `${pack}@${version}`))].slice(0, 3)

const ways: Readonly<Record<string, () => Promise<string>>> = {
  whole: async () => (await docs.prompt(names, { scheme: 'none' })).text,
  prompt: async () => (await docs.prompt(names)).text,
  sections: async () => (await docs.context(question, { budget: BUDGET })).text,
}
const chosen = Object.keys(values)
console.log(`Question  ${question}`)
console.log(`Packs     ${names.join(', ')}`)
for (const [way, write] of Object.entries(ways)) {
  if (chosen.length > 0 && !chosen.includes(way)) continue
  const { answer, tokens } = await ask(await write())
  console.log(`\n${way.padEnd(8)}  ${tokens} tokens`)
  console.log(`Answer    ${answer}`)
}

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string } }[]
  readonly usage: { readonly prompt_tokens: number }
}

/** Asks the model, which also says how many tokens it was sent. */
async function ask(system: string): Promise<{ answer: string; tokens: number }> {
  const response = await fetch(`${MODEL_URL}/chat/completions`, {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${MODEL_KEY}` },
    body: JSON.stringify({
      model: MODEL_NAME,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: question },
      ],
    }),
  })
  if (!response.ok) throw new Error(`The model answered with status ${response.status}`)
  const { choices, usage } = (await response.json()) as Completion
  return { answer: choices[0]?.message.content ?? '', tokens: usage.prompt_tokens }
}
