// The cheapest prompt of all packs in a folder, what each way to write it costs, and a term of its header.
//
//     npx node examples/compose-prompt.ts [folder with packs]
import { decode } from '@packs/codec'
import { composePrompt } from '@packs/codec/prompt'
import { readPacks } from './read-pack.ts'

const packs = await readPacks()
const { text, rosetta, tokens, tokenizer, plan, terms } = composePrompt(packs, { scheme: 'dense-1' })
const { sources, asBuilt, together } = plan.costs

console.log(`${text.slice(0, 300)}…\n`)
console.log(`${column(sources)}  ${packs.length} plain sources`)
console.log(`${column(asBuilt)}  the packs as they were built, with one header`)
console.log(`${column(together)}  all sources compressed together, with one header`)
console.log(`${column(tokens)}  the prompt, in tokens of ${tokenizer}`)

const [term] = terms
if (term !== undefined) console.log(`${term.term} stands for: ${decode(term.term, rosetta)}`)

function column(count: number | undefined): string {
  return (count?.toLocaleString('en') ?? '–').padStart(7)
}
