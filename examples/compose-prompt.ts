// The cheapest prompt of all packs in a folder, what each way to write it costs, and a term of its header.
//
//     npx node examples/compose-prompt.ts [folder with packs]
import { decode } from '@packs/codec'
import { composePrompt } from '@packs/codec/compress'
import { readPacks } from './read-pack.ts'

const packs = await readPacks()
const { text, rosetta, tokens, tokenizer, plan, terms } = await composePrompt(packs, { scheme: 'dense-2' })
const { sources, together } = plan.costs

console.log(`${text.slice(0, 300)}…\n`)
console.log(`${column(sources)}  ${packs.length} plain sources`)
console.log(`${column(together)}  all sources compressed together, with one header`)
console.log(`${column(tokens)}  the prompt, in tokens of ${tokenizer}`)

const restored = decode(text, rosetta)
for (const pack of packs) {
  const isRestored = restored.includes(decode(pack.content, pack.rosetta))
  console.log(`${pack.slug} is restored from the prompt byte for byte: ${isRestored ? 'yes' : 'no'}`)
}
const [term] = terms
if (term !== undefined) console.log(`${term.term} stands for: ${decode(term.term, rosetta)}`)

function column(count: number | undefined): string {
  return (count?.toLocaleString('en') ?? '–').padStart(7)
}
