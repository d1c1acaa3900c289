// The cheapest prompt of all packs in a folder, what each way to write it costs, a term of its header, and its links.
//
//     npx node examples/compose-prompt.ts [folder with packs]
import { decode, resolveLinks } from '@packs/codec'
import { composePrompt } from '@packs/codec/compress'
import { readPacks } from './read-pack.ts'

const packs = await readPacks()
const { text, rosetta, tokens, tokenizer, plan, terms, links } = await composePrompt(packs, {
  scheme: 'dense-2',
})
const { texts, together } = plan.costs

console.log(`${text.slice(0, 300)}…\n`)
console.log(`${column(texts)}  ${packs.length} plain texts`)
console.log(`${column(together)}  all texts compressed together, with one header`)
console.log(`${column(tokens)}  the prompt, in tokens of ${tokenizer}`)

const answer = 'The [page](1) says more.'
console.log(`${Object.keys(links).length} addresses are numbers in the prompt. An answer such as`)
console.log(`  ${answer}`)
console.log(`is read as\n  ${resolveLinks(answer, links)}`)
const [term] = terms
if (term !== undefined) console.log(`${term.term} stands for: ${decode(term.term, rosetta)}`)

function column(count: number | undefined): string {
  return (count?.toLocaleString('en') ?? '–').padStart(7)
}
