// An agent with one pack: it puts header and content into the system prompt and decodes the answer.
// For several packs use `systemPrompt`, as three-packs-prompt.ts does.
//
//     npx node examples/decode-in-agent.ts [folder with packs]
import { decode } from '@packs/codec'
import { readPack } from './read-pack.ts'

const pack = await readPack('tls-certificates')
const system = [
  'Terms of the first line stand for what follows their "=". You may use them in your answers.',
  pack.rosetta,
  pack.content,
].join('\n\n')
const question = 'Why does curl fail while my browser opens the site?'

const answer = askModel(system, question)

console.log(`Pack      ${pack.title}, ${pack.compression}`)
console.log(
  `Tokens    ${pack.uncompressed_estimate} as written, ${pack.token_count} + ${pack.rosetta_tokens} for the header as a pack`,
)
console.log(`Question  ${question}`)
console.log(`\nAnswer as received (from a stand-in that quotes the prompt; no model was asked):\n\n${answer}`)
console.log(`\nAnswer decoded:\n\n${decode(answer, pack.rosetta)}`)

/**
 * Stands in for a model: it sees only the prompt and answers in its terms. It quotes the paragraph that shares the most words
 * with the question.
 */
function askModel(prompt: string, user: string): string {
  const asked = user.toLowerCase().match(/[a-z]{4,}/g) ?? []
  const paragraphs = prompt.split(/\n+/)
  const scores = paragraphs.map(
    (paragraph) => asked.filter((word) => paragraph.toLowerCase().includes(word)).length,
  )
  return paragraphs[scores.indexOf(Math.max(...scores))]!
}
