// Decodes the content of a pack while it arrives in chunks that are cut at arbitrary places.
//
//     npx node examples/stream-decode.ts [folder with packs]
import { createDecoder, decode, decodeStream } from '@packs/codec'
import { readPack } from './read-pack.ts'

const pack = await readPack('payments-api-reference')
const content = pack.content.slice(0, 1500)
const chunks = [...cutInsideWords(content)]

// 1. Push each chunk and write the text that no later chunk can change.
const decoder = createDecoder(pack.rosetta)
let text = ''
for (const chunk of chunks) {
  const certain = decoder.push(chunk)
  process.stdout.write(certain)
  text += certain
}
const rest = decoder.end()
process.stdout.write(`${rest}\n\n`)
text += rest

// 2. The same as a web stream, for example between `fetch` and a file.
let piped = ''
for await (const piece of streamChunks(chunks).pipeThrough(decodeStream(pack.rosetta))) piped += piece

// 3. A term of several letters may be cut, so decoding each chunk by itself is wrong.
const header = '[DECODE] CTL=certificate transparency log'
const naive = ['Every C', 'TL entry is signed.'].map((chunk) => decode(chunk, header)).join('')

const whole = decode(content, pack.rosetta)
console.log('The text above is the beginning of a pack.')
console.log(`${chunks.length} chunks of 1 to 7 characters, ${content.length} in all, ${text.length} decoded`)
console.log(`createDecoder gives the same text as decode: ${formatYesNo(text === whole)}`)
console.log(`decodeStream gives the same text: ${formatYesNo(piped === whole)}`)
console.log(
  `decoding each chunk separately gives the same text: ${formatYesNo(naive === decode('Every CTL entry is signed.', header))}`,
)

/** Cuts after every 1, 2, 3, 5 and 7 UTF-16 units in turn: inside words, terms and surrogate pairs. */
function* cutInsideWords(source: string): Generator<string> {
  const lengths = [1, 2, 3, 5, 7]
  for (let start = 0, turn = 0; start < source.length; turn++) {
    const end = start + lengths[turn % lengths.length]!
    yield source.slice(start, end)
    start = end
  }
}

function streamChunks(parts: readonly string[]): ReadableStream<string> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

function formatYesNo(isTrue: boolean): string {
  return isTrue ? 'yes' : 'no'
}
