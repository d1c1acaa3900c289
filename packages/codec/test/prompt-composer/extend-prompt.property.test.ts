import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compress } from '../../src/compress/index.ts'
import { decode, serializeRosetta } from '../../src/index.ts'
import {
  composePrompt,
  extendPrompt,
  type PriorPrompt,
  type PromptDocument,
  type PromptExtension,
} from '../../src/prompt-composer/index.ts'
import { o200kBase } from '../../src/tokens/o200k-base.ts'
import type { Scheme } from '../../src/types.ts'
import { contents, headers } from '../arbitraries.ts'
import { nastyMarkdown } from '../compress/nasty-markdown.ts'
import { makePrior, readFrames } from './read-frames.ts'
import { countRuns } from '../count-runs.ts'

/** Prompts to extend. */
const RUNS = countRuns(30)

const scheme = fc.constantFrom<Scheme>('none', 'glossary-1', 'dense-1', 'max-1')
const built: fc.Arbitrary<PromptDocument> = fc
  .record({ text: nastyMarkdown, scheme })
  .map(({ text, scheme: one }) => {
    const { content, rosetta, scheme: compression } = compress(text, { scheme: one })
    return { content, rosetta, compression }
  })
/** Few code points, which are the terms of the prompt too. */
const written: fc.Arbitrary<PromptDocument> = fc
  .record({ content: contents, entries: headers })
  .map(({ content, entries }) => ({ content, rosetta: serializeRosetta({ entries }) }))
const sets = fc.array(fc.oneof(built, written), { maxLength: 3 })
/** A prompt with any header, whose terms need not pay. */
const started: fc.Arbitrary<PriorPrompt> = fc.oneof(
  sets.map((packs) => composePrompt(packs)),
  fc.record({ content: contents, entries: headers }).map(({ content, entries }) => {
    const rosetta = serializeRosetta({ entries })
    return makePrior(`${rosetta}\n\n${content}\n`, rosetta)
  }),
)

test('random additions are exact, change nothing before them, and never take more than escaped sources', () => {
  let extended = 0
  let refused = 0
  fc.assert(
    fc.property(started, fc.array(sets, { minLength: 1, maxLength: 3 }), (first, additions) => {
      let prompt = first
      const before = decode(first.text, first.rosetta)
      const bodies: string[] = []
      for (const packs of additions) {
        let plain: PromptExtension
        try {
          plain = extendPrompt(prompt, packs, { scheme: 'none' })
        } catch (error) {
          // Few letters have every script, and then no letter can stand for a term.
          if ((error as { code?: string }).code !== 'term_collision') throw error
          refused++
          continue
        }
        extended++
        const added = extendPrompt(prompt, packs)
        expect(added.text).toBe(prompt.text + added.append)
        expect(added.tokens).toBe(o200kBase.countTokens(added.append))
        expect(added.tokens).toBeLessThanOrEqual(plain.tokens)
        expect(added.rosetta.startsWith(prompt.rosetta)).toBe(true)
        const already = new Set(added.already.map(({ index }) => index))
        const fresh = packs.filter((_, index) => !already.has(index))
        bodies.push(...fresh.map((pack) => decode(pack.content, pack.rosetta)))
        prompt = added
        expect(decode(first.text, prompt.rosetta)).toBe(before)
        expect(readFrames(prompt.text.slice(first.text.length), prompt.rosetta)).toEqual(bodies)
      }
    }),
    { numRuns: RUNS },
  )
  expect(refused).toBeLessThan(extended / 4)
})
