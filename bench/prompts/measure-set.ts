import { decode, systemPrompt, type Scheme } from '@packs/codec'
import { compress, type Compression } from '@packs/codec/compress'
import { composePrompt, type ComposedPrompt, type PromptDocument } from '@packs/codec/prompt'
import type { BenchDocument } from '../documents.ts'
import { countTokens, encode } from '../reference-tokenizer.ts'

/** Tokens of a prompt of several documents, in each way to write it. */
export interface SetResult {
  readonly folder: string
  readonly documents: number
  readonly scheme: Scheme
  /** The plain sources. */
  readonly sources: number
  /** Contents and headers of the packs, without frames and instruction: what their tables say. */
  readonly packs: number
  /** Sources without frames. */
  readonly bodies: number
  readonly asBuilt: number
  /** Null if the set could not be compressed as a whole. */
  readonly together: number | null
  readonly chosen: number
  /** Processor time of composing ÷ that of tokenising the sources once, and ÷ that of compressing them as one text. */
  readonly time?: Times
}

interface Times {
  readonly tokenize: number
  readonly compress: number
}

/** What must never happen to a prompt, counted. */
export interface PromptFaults {
  readonly notRestored: number
  readonly overSources: number
  readonly miscounted: number
}

/** Builds packs and composes prompts of them. Every document is compressed once under each scheme. */
export interface SetMeter {
  measure(documents: readonly BenchDocument[], scheme: Scheme, isTimed: boolean): Omit<SetResult, 'folder'>
  readonly faults: () => PromptFaults
}

export function createSetMeter(): SetMeter {
  const packs = new Map<string, Compression>()
  const faults = { notRestored: 0, overSources: 0, miscounted: 0 }
  const build = ({ file, text }: BenchDocument, scheme: Scheme): Compression => {
    const key = `${scheme} ${file}`
    const known = packs.get(key) ?? compress(text, { scheme })
    packs.set(key, known)
    return known
  }
  return {
    measure(documents, scheme, isTimed) {
      const built = documents.map((document) => build(document, scheme))
      const set = built.map((one, at) => toDocument(one, documents[at]!.file))
      const bodies = documents.map(({ text }) => text)
      const begin = process.threadCpuUsage()
      const prompt = composePrompt(set, { scheme })
      const composing = elapsedMs(begin)
      const found = findFaults(prompt, set, bodies, countTokens)
      faults.notRestored += Number(found.notRestored)
      faults.overSources += Number(found.overSources)
      faults.miscounted += Number(found.miscounted)
      const { sources, asBuilt, together } = prompt.plan.costs
      return {
        documents: documents.length,
        scheme,
        sources: sources ?? Number.NaN,
        packs: sum(built.map(({ tokens }) => tokens.content + tokens.rosetta)),
        bodies: sum(documents.map(({ tokens }) => tokens)),
        asBuilt: asBuilt ?? Number.NaN,
        together: together ?? null,
        chosen: prompt.tokens,
        ...(isTimed && { time: compareTime(bodies.join('\n'), scheme, composing) }),
      }
    },
    faults: () => ({ ...faults }),
  }
}

/** Adds up sets of the same folder and scheme. */
export function poolSets(sets: readonly SetResult[]): SetResult {
  const add = (pick: (set: SetResult) => number | null): number => sum(sets.map((set) => pick(set) ?? 0))
  const { folder, scheme } = sets[0]!
  return {
    folder,
    scheme,
    documents: add(({ documents }) => documents),
    sources: add(({ sources }) => sources),
    packs: add(({ packs }) => packs),
    bodies: add(({ bodies }) => bodies),
    asBuilt: add(({ asBuilt }) => asBuilt),
    together: add(({ together, sources }) => together ?? sources),
    chosen: add(({ chosen }) => chosen),
  }
}

export function toDocument({ content, rosetta, scheme, tokens }: Compression, name: string): PromptDocument {
  return {
    slug: name,
    content,
    rosetta,
    compression: scheme,
    token_count: tokens.content,
    rosetta_tokens: tokens.rosetta,
    uncompressed_estimate: tokens.source,
  }
}

/**
 * Checks a prompt by other means than those that wrote it: each framed content decodes to its source, the text has the tokens that the
 * result states, and the sources in the same frames do not have fewer.
 */
export function findFaults(
  { text, rosetta, tokens, terms }: ComposedPrompt,
  packs: readonly PromptDocument[],
  bodies: readonly string[],
  count: (text: string) => number,
): Readonly<Record<keyof PromptFaults, boolean>> {
  const plain = systemPrompt(
    packs.map((pack, at) => ({ ...pack, content: bodies[at]!, rosetta: '[DECODE]' })),
  )
  const head = terms.length === 0 ? 0 : text.indexOf(rosetta) + rosetta.length + 2
  const contents = bodies.length === 1 ? [text.slice(head)] : readFrames(text.slice(head))
  const isRestored =
    contents.length === bodies.length && contents.every((one, at) => decode(one, rosetta) === bodies[at])
  return {
    notRestored: !isRestored,
    overSources: tokens > count(plain.text),
    miscounted: tokens !== count(text),
  }
}

/** Returns the contents of frames, whose name occurs in no content. */
function readFrames(text: string): string[] {
  const name = /^<([\w-]+)/.exec(text)?.[1] ?? ''
  const frames = text.split(`\n</${name}>\n`)
  return frames.slice(0, -1).map((frame) => frame.slice(frame.indexOf('\n') + 1))
}

function compareTime(joined: string, scheme: Scheme, composing: number): Times {
  const begin = process.threadCpuUsage()
  encode(joined)
  const tokenizing = elapsedMs(begin)
  const middle = process.threadCpuUsage()
  compress(joined, { scheme })
  return { tokenize: composing / tokenizing, compress: composing / elapsedMs(middle) }
}

/** Processor time of this thread, without the time it waited for a core. */
function elapsedMs(begin: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(begin)
  return (user + system) / 1000
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
