import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compress } from '../../src/compress/index.ts'
import { decode, serializeRosetta } from '../../src/index.ts'
import {
  composePrompt,
  extendPrompt,
  type PriorPrompt,
  type PromptDocument,
} from '../../src/prompt-composer/index.ts'
import { o200kBase } from '../../src/tokens/o200k-base.ts'
import type { Scheme } from '../../src/types.ts'
import { contents, headers } from '../arbitraries.ts'
import { nastyMarkdown } from '../compress/nasty-markdown.ts'
import { readFrames } from './read-frames.ts'

/** Prompts to extend. */
const RUNS = Number(process.env['PACKS_PROPERTY_RUNS'] ?? 30)

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
    return { text: `${rosetta}\n\n${content}\n`, rosetta }
  }),
)

test('random additions are exact, change nothing before them, and never take more than escaped sources', () => {
  fc.assert(
    fc.property(started, fc.array(sets, { minLength: 1, maxLength: 3 }), (first, additions) => {
      let { text, rosetta } = first
      const before = decode(text, rosetta)
      const bodies: string[] = []
      for (const packs of additions) {
        const plain = extendPrompt({ text, rosetta }, packs, { scheme: 'none' })
        const added = extendPrompt({ text, rosetta }, packs)
        const sources = packs.map((pack) => decode(pack.content, pack.rosetta))
        expect(added.tokens).toBe(o200kBase.countTokens(added.append))
        expect(added.tokens).toBeLessThanOrEqual(plain.tokens)
        expect(added.rosetta.startsWith(rosetta)).toBe(true)
        text += added.append
        rosetta = added.rosetta
        bodies.push(...sources)
        expect(decode(first.text, rosetta)).toBe(before)
        expect(readFrames(text.slice(first.text.length), rosetta)).toEqual(bodies)
      }
    }),
    { numRuns: RUNS },
  )
})
