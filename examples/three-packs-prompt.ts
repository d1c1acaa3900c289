// One system prompt for three packs that were built separately, and one header for all of them.
//
//     npx node examples/three-packs-prompt.ts [folder with packs]
import { decode, systemPrompt } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/tokens'
import { readPack } from './read-pack.ts'

const slugs = ['payments-api-reference', 'kubernetes-upgrade', 'http-status-codes']
const packs = await Promise.all(slugs.map((slug) => readPack(slug)))
const bodies = packs.map((pack) => decode(pack.content, pack.rosetta))
const prompt = systemPrompt(packs)

// Counted here from the texts, not taken from the pack documents.
const tokenizer = await loadTokenizer('o200k_base')
const before = bodies.map((body) => tokenizer.countTokens(body))
const total = before.reduce((sum, tokens) => sum + tokens, 0)
const after = tokenizer.countTokens(prompt.text)
const restored = decode(prompt.text, prompt.rosetta)

console.log(`${prompt.text.slice(0, 300)}…\n`)
for (const [index, pack] of packs.entries())
  console.log(`${column(before[index]!)}  ${pack.title}, as written`)
console.log(`${column(total)}  the three as written`)
console.log(`${column(after)}  the system prompt: instruction, headers, contents, boundaries`)
console.log(`${column(total - after)}  saved, ${((100 * (total - after)) / total).toFixed(2)} %`)
for (const [index, pack] of packs.entries()) {
  const isRestored = restored.includes(bodies[index]!)
  console.log(`${pack.slug} is restored from the prompt byte for byte: ${isRestored ? 'yes' : 'no'}`)
}

function column(tokens: number): string {
  return tokens.toLocaleString('en').padStart(7)
}
