import { type CompressedSet, compressSet } from '../compress/compress-set.ts'
import type { GlossaryRule } from '../compress/types.ts'
import { createExpander } from '../decode/create-expander.ts'
import { CodecError } from '../errors.ts'
import { framePacks } from '../prompt/frame-packs.ts'
import { mergePacks } from '../prompt/merge-packs.ts'
import { mergeProfitably } from '../prompt/system-prompt.ts'
import { serializeRosetta } from '../rosetta/serialize-rosetta.ts'
import type { Tokenizer } from '../tokens/types.ts'
import type { Scheme } from '../types.ts'
import { followsRules, joinGlossaries } from './join-glossaries.ts'
import { noteDuplicates } from './read-packs.ts'
import type { ComposedPrompt, PromptDocument, PromptPlan } from './types.ts'

/** {@link ComposeOptions} with all defaults filled in, but for the budget. */
export interface PromptSettings {
  readonly scheme: Scheme
  readonly tokenizer: Tokenizer
  readonly glossary: readonly GlossaryRule[]
  /** Overrides the packs. */
  readonly code: boolean | undefined
}

/** Writes the prompt of all packs by each plan and returns the one with the fewest tokens, proven to be exact. */
export function planPrompt(
  packs: readonly PromptDocument[],
  bodies: readonly string[],
  settings: PromptSettings,
): ComposedPrompt {
  const { tokenizer, scheme } = settings
  const reserved = listFrames(packs)
  const { rules, notes } = joinGlossaries(settings.glossary, packs, bodies, reserved)
  const count = createPartCounter(tokenizer)
  const write = (plan: PromptPlan, planned: CompressedSet | undefined): WrittenPrompt | undefined => {
    const written = planned && writePrompt(packs, planned)
    return written && { ...written, plan, ...countPrompt(written, count) }
  }
  const sources = write('sources', { contents: bodies, entries: [] })!
  const asBuilt = findCheapest(
    mergeBuilt(packs, reserved)
      .filter((built) => followsRules(built, bodies, rules))
      .map((built) => write('asBuilt', built)),
  )
  const together = write(
    'together',
    compressBodies(packs, bodies, reserved, { ...settings, glossary: rules }),
  )
  const best = findCheapest([sources, asBuilt, together])!
  proveExact(best, bodies)
  return {
    text: best.text,
    rosetta: best.rosetta,
    terms: best.entries,
    tokens: best.tokens,
    tokenizer: tokenizer.name,
    scheme,
    plan: {
      chosen: best.plan,
      costs: { sources: sources.tokens, asBuilt: asBuilt?.tokens, together: together?.tokens },
    },
    packs: packs.length,
    shares: packs.map(({ slug }, index) => ({ slug, tokens: best.shares[index]! })),
    notes: [...notes, ...noteDuplicates(packs, bodies)],
  }
}

/** A whole prompt, not yet counted. */
interface PromptText extends CompressedSet {
  readonly text: string
  readonly rosetta: string
}

interface WrittenPrompt extends PromptText {
  readonly plan: PromptPlan
  readonly tokens: number
  /** Tokens of each content with its frame. */
  readonly shares: readonly number[]
}

/** Returns the frames around the contents, in which no term may occur; empty for a single pack, which has none. */
function listFrames(packs: readonly PromptDocument[]): string {
  if (packs.length < 2) return ''
  const empty = packs.map(() => '')
  // The name of the frames may have a number.
  return `${framePacks(packs, empty, undefined)}-0123456789`
}

/** Returns the prompt with the fewest tokens, the first of several; undefined if there is none. */
function findCheapest(prompts: readonly (WrittenPrompt | undefined)[]): WrittenPrompt | undefined {
  let best: WrittenPrompt | undefined
  for (const prompt of prompts) if (prompt && !(best && best.tokens <= prompt.tokens)) best = prompt
  return best
}

/**
 * Merges the packs as they were built: all of them, and those that pay for the header by the counts that they state, as
 * `systemPrompt` does. Returns none if they have more terms than a header can hold.
 */
function mergeBuilt(packs: readonly PromptDocument[], reserved: string): CompressedSet[] {
  try {
    const inputs = [...packs, { content: reserved, rosetta: '[DECODE]' }]
    const all = mergePacks(inputs)
    const paying = mergeProfitably(inputs, all)
    // Without entries it is the sources.
    const merges = paying === all || paying.entries.length === 0 ? [all] : [all, paying]
    return merges.map(({ contents, entries }) => ({ contents: contents.slice(0, packs.length), entries }))
  } catch (error) {
    if (error instanceof CodecError) return []
    throw error
  }
}

/** Compresses the bodies with one header; undefined if that is not possible. */
function compressBodies(
  packs: readonly PromptDocument[],
  bodies: readonly string[],
  reserved: string,
  { scheme, tokenizer, glossary, code }: PromptSettings,
): CompressedSet | undefined {
  if (scheme === 'none' || packs.length === 0 || !bodies.every((body) => body.isWellFormed()))
    return undefined
  return compressSet(bodies, {
    scheme,
    tokenizer,
    glossary,
    code: packs.map((pack) => code ?? pack.code === true),
    reserved,
  })
}

/** Writes the whole text; undefined if the header is larger than the format allows. */
function writePrompt(packs: readonly PromptDocument[], planned: CompressedSet): PromptText | undefined {
  const { contents, entries } = planned
  try {
    const rosetta = serializeRosetta({ entries })
    return {
      ...planned,
      rosetta,
      text: framePacks(packs, contents, entries.length > 0 ? rosetta : undefined),
    }
  } catch (error) {
    if (error instanceof CodecError) return undefined
    throw error
  }
}

/** Throws if a content does not decode to its body with the header that the prompt has. */
function proveExact({ contents, rosetta }: PromptText, bodies: readonly string[]): void {
  const length = bodies.reduce((sum, body) => sum + body.length + 1, 0)
  // One decoder reads all contents: no term holds a line end, and a term stands beside one as at the end of a content.
  const { expand } = createExpander(rosetta, length)
  const isExact = contents.every((content, index) => expand(`${content}\n`, false) === `${bodies[index]}\n`)
  if (isExact && contents.length === bodies.length) return
  throw new Error('The prompt does not decode to its sources; please report the packs')
}

/** Counts the tokens of a part; plans share parts, and each is counted once. */
function createPartCounter(tokenizer: Tokenizer): (part: string) => number {
  const counts = new Map<string, number>()
  return (part) => {
    const tokens = counts.get(part) ?? tokenizer.countTokens(part)
    counts.set(part, tokens)
    return tokens
  }
}

/**
 * Counts a prompt, and each content with its frame. In both tokenizers a `<` after a line end begins a token, so the counts of the
 * frames add up.
 */
function countPrompt(
  { text, rosetta, entries, contents }: PromptText,
  count: (part: string) => number,
): Pick<WrittenPrompt, 'tokens' | 'shares'> {
  if (contents.length < 2) return { tokens: count(text), shares: contents.map(count) }
  const start = entries.length > 0 ? text.indexOf(rosetta) + rosetta.length + 2 : 0
  // The name of the frames occurs nowhere else.
  const end = `</${/^<([\w-]+)/.exec(text.slice(start, start + 20))![1]}>\n`
  const shares = text
    .slice(start)
    .split(end)
    .slice(0, -1)
    .map((frame) => count(frame + end))
  return { tokens: shares.reduce((sum, tokens) => sum + tokens, count(text.slice(0, start))), shares }
}
