// An agent that fetches a pack and restores its source, so that its own code can search it.
//
//     PACK_URL=http://127.0.0.1:8080 PACK_KEY=kp_… npx node examples/decode-in-agent.ts 'Question?'
import { createHash } from 'node:crypto'
import { createClient } from '@packs/client'
import { restore } from '@packs/codec'

const question = process.argv[2] ?? 'What if a key is reused for another endpoint?'
const catalog = createClient({ url: process.env['PACK_URL'], key: process.env['PACK_KEY'] })
const pack = await catalog.packs.get('payments-api-reference')
if (pack.preview) throw new Error('Whole packs need a key of a Pro account')

const source = restore(pack)

const digest = createHash('sha256').update(source).digest('hex')
console.log(`Pack      ${pack.slug}@${pack.version}, ${pack.compression}`)
console.log(
  `Tokens    ${pack.token_count + pack.rosetta_tokens} fetched, ${pack.uncompressed_estimate} restored`,
)
console.log(`Source    ${digest === pack.sha256 ? 'is restored byte for byte' : 'differs from its digest'}`)
console.log(`Question  ${question}`)
console.log(`Found     ${findParagraph(source)}`)

/** Finds the paragraph that shares the most words with the question. */
function findParagraph(text: string): string {
  const asked = question.toLowerCase().match(/\p{L}{4,}/gu) ?? []
  const score = (paragraph: string): number =>
    asked.filter((word) => paragraph.toLowerCase().includes(word)).length
  return text.split(/\n+/).toSorted((a, b) => score(b) - score(a))[0] ?? ''
}
