import type { Scheme } from '@packs/codec'
import { compress } from '@packs/codec/compress'
import { composePrompt } from '@packs/codec/prompt'
import { loadTokenizer, type TokenizerName } from '@packs/codec/tokens'
import type { BenchDocument } from '../documents.ts'
import { findFaults, toDocument, type PromptFaults } from './measure-set.ts'

/** What became of random sets. */
export interface RandomResults extends PromptFaults {
  readonly sets: number
  readonly packs: number
  /** Messages of errors, at most ten. */
  readonly errors: readonly string[]
  /** How often each plan was chosen. */
  readonly chosen: Readonly<Record<string, number>>
}

const SCHEMES: readonly Scheme[] = ['none', 'glossary-1', 'dense-1', 'max-1']
/** Most packs of a set, and characters of a part of a document; whole documents would take an hour. */
const MOST = { packs: 15, characters: 6000, errors: 10 }

/**
 * Composes prompts of random parts of the documents, each built under a random scheme, some of them twice in a set. The sets are the
 * same in every run.
 *
 * @param advance called after each set
 */
export async function composeRandomSets(
  documents: readonly BenchDocument[],
  sets: number,
  advance: () => void,
): Promise<RandomResults> {
  const random = createRandom(20_26)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const faults = { notRestored: 0, overSources: 0, miscounted: 0 }
  const chosen: Record<string, number> = {}
  const errors: string[] = []
  let packs = 0
  for (let at = 0; at < sets; at++) {
    const tokenizer: TokenizerName = random() < 0.15 ? 'cl100k_base' : 'o200k_base'
    const counter = await loadTokenizer(tokenizer)
    const bodies = Array.from({ length: 1 + Math.floor(random() * MOST.packs) }, () =>
      takePart(pick(documents).text, random),
    )
    if (random() < 0.1) bodies.push(bodies[0]!)
    const scheme = random() < 0.5 ? undefined : pick(SCHEMES)
    packs += bodies.length
    try {
      const set = bodies.map((body, index) => ({
        ...toDocument(compress(body, { scheme: pick(SCHEMES), tokenizer }), `part-${index}`),
        tokenizer,
      }))
      const prompt = composePrompt(set, { scheme, tokenizer })
      const found = findFaults(prompt, set, bodies, (text) => counter.countTokens(text))
      faults.notRestored += Number(found.notRestored)
      faults.overSources += Number(found.overSources)
      faults.miscounted += Number(found.miscounted)
      chosen[prompt.plan.chosen] = (chosen[prompt.plan.chosen] ?? 0) + 1
    } catch (error) {
      if (errors.length < MOST.errors) errors.push(`set ${at}: ${String(error)}`)
    }
    advance()
  }
  return { sets, packs, ...faults, errors, chosen }
}

/** Returns a part of a text that begins and ends at any character, mostly at a line. */
function takePart(text: string, random: () => number): string {
  const length = Math.floor(random() ** 2 * MOST.characters)
  const start = Math.floor(random() * Math.max(0, text.length - length))
  const line = text.indexOf('\n', start) + 1
  return text.slice(random() < 0.9 ? line : start, start + length).toWellFormed()
}

/** Mulberry32: random numbers from 0 to below 1 that depend on the seed alone. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
