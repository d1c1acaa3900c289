// Child process of text-timer.ts: times recipes that it receives as messages, each in turn with English of the same size.
import { decode } from '@packs/codec'
import { type CompressOptions, loadTokenizer, loadCompressor } from '@packs/codec/compress'
import { serializePack } from '@packs/codec/internal'
import { buildPack, checkPack, type Pack, parseSource } from '@packs/codec/pack'
import { generateText, type Recipe } from './generate-text.ts'

await loadTokenizer('o200k_base')
const compress = await loadCompressor()

/** A text to time; the answer has the id of the request. */
export interface TextRequest {
  readonly id: number
  readonly work: WorkName
  readonly recipe: Recipe
  readonly bytes: number
  readonly options: CompressOptions
  /** Ordinary text of `bytes` bytes. */
  readonly english: string
  readonly rounds: number
}

/** Processor time of the process in milliseconds, the least of all rounds. */
export interface TextTiming {
  readonly id: number
  readonly ms: number
  readonly englishMs: number
}

type Run = () => unknown

/** Work whose time is bounded: prepares a text, and returns what is timed. */
const WORK = {
  /** `compress` alone. */
  compress: (text, options) => () => compress(text, options),
  /** A whole build: source, messages, compression, preview, digest. */
  build: (text, options) => () => build(text, options),
  /** What readers and `pack verify` do with a pack. */
  read: async (text, options) => {
    const pack = await build(text, options)
    if (pack === undefined) return () => undefined
    const json = serializePack(pack)
    return async () => {
      decode(pack.content, pack.rosetta)
      await checkPack(json)
    }
  },
} as const satisfies Record<string, (text: string, options: CompressOptions) => Run | Promise<Run>>

export type WorkName = keyof typeof WORK

await Promise.all([loadTokenizer('o200k_base'), loadTokenizer('cl100k_base')])

process.on('message', (request: TextRequest) => {
  void answer(request).then((timing) => process.send?.(timing))
})

async function answer({
  id,
  work,
  recipe,
  bytes,
  options,
  english,
  rounds,
}: TextRequest): Promise<TextTiming> {
  const text = generateText(recipe, bytes)
  let ms = Infinity
  let englishMs = Infinity
  for (let round = 0; round < rounds; round++) {
    englishMs = Math.min(englishMs, await timeWork(work, english, options))
    ms = Math.min(ms, await timeWork(work, text, options))
  }
  return { id, ms, englishMs }
}

async function timeWork(work: WorkName, text: string, options: CompressOptions): Promise<number> {
  const run = await WORK[work](text, options)
  const start = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

async function build(text: string, options: CompressOptions): Promise<Pack | undefined> {
  const { source } = parseSource(`---\ntitle: t\ndomain: d\n---\n${text}`, { path: 'text.md' })
  return source && (await buildPack(source, options)).pack
}
