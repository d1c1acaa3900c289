import type { PlannedPage } from './plan-page.ts'

/** Characters that are sent together. */
const CHUNK = 64 * 1024

/** Writes a page as one pack a line. */
export async function* writeLines(page: PlannedPage): AsyncGenerator<string> {
  yield* joinChunks(async function* () {
    for await (const entry of page.entries()) yield `${JSON.stringify(entry)}\n`
  })
}

/** Writes a page as one JSON document. */
export async function* writeDocument(page: PlannedPage, meta: unknown): AsyncGenerator<string> {
  yield* joinChunks(async function* () {
    let separator = '{"data":['
    for await (const entry of page.entries()) {
      yield `${separator}${JSON.stringify(entry)}`
      separator = ','
    }
    yield `${page.count === 0 ? separator : ''}],"meta":${JSON.stringify(meta)}}`
  })
}

/** Many small pieces would be as many writes. */
async function* joinChunks(pieces: () => AsyncGenerator<string>): AsyncGenerator<string> {
  let chunk = ''
  for await (const piece of pieces()) {
    chunk += piece
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}
