// Answers a question from a catalog, and shows what the prompt costs three ways: the sources of the packs that match, in one
// composed prompt, or only their sections that answer.
//
//     PACK_URL=http://127.0.0.1:8080 PACK_KEY=kp_… MODEL_URL=https://…/v1 npx node examples/answer-question.ts [--whole|--prompt|--sections]
import { parseArgs } from 'node:util'
import { createClient, type Hit } from '@packs/client'
import { restore } from '@packs/codec'
import { composePrompt, loadTokenizer } from '@packs/codec/compress'
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

const catalog = createClient({ url: PACK_URL, key: PACK_KEY })
const tokenizer = await loadTokenizer('o200k_base')
const hits: Hit[] = []
for await (const hit of catalog.search(question, { maxTokens: BUDGET, limit: 6 })) hits.push(hit)
if (hits.length === 0) throw new Error(`The catalog has nothing for: ${question}`)
const names = [...new Set(hits.map(({ pack }) => `${pack.slug}@${pack.version}`))].slice(0, 3)

const ways: Readonly<Record<string, () => Promise<string>>> = {
  whole: readWhole,
  prompt: async () => (await catalog.prompt(names)).text,
  sections: readSections,
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

/** Writes the sources as they are. */
async function readWhole(): Promise<string> {
  const packs = await Promise.all(names.map((name) => catalog.packs.get(name)))
  const sources = packs.map((pack) => {
    if (pack.preview) throw new Error('Whole packs need a key of a Pro account')
    return { title: pack.title, content: restore(pack), rosetta: '[DECODE]' }
  })
  return (await composePrompt(sources, { scheme: 'none' })).text
}

/** Writes the sections of the hits, best first, as long as they fit into the budget. */
async function readSections(): Promise<string> {
  let prompt = ''
  const parts = []
  for (const { pack, section } of hits) {
    if (section === null) continue
    const part = await catalog.packs.section(`${pack.slug}@${pack.version}`, section.id)
    const title = [pack.title, ...part.path].join(' › ')
    const { text } = await composePrompt([...parts, { ...part, title }])
    if (tokenizer.countTokens(text) > BUDGET) continue
    parts.push({ ...part, title })
    prompt = text
  }
  return prompt
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
