import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { traceCompression } from '../../src/compress/compress.ts'
import { decode, parseRosetta } from '../../src/index.ts'
import { framePacks } from '../../src/prompt/frame-packs.ts'
import { o200kBase } from '../../src/tokens/o200k-base.ts'
import type { Scheme } from '../../src/types.ts'
import { nastyMarkdown } from './nasty-markdown.ts'

/** Texts for each scheme and setting; `pnpm test:exact` takes 50,000. */
const RUNS = Number(process.env['PACKS_PROPERTY_RUNS'] ?? 500)
const SCHEMES: readonly Scheme[] = ['glossary-1', 'dense-1', 'max-1']

describe.each(SCHEMES)('%s', (scheme) => {
  it.each([false, true])('decodes to its source through the parsed header, code %s', (code) => {
    let replaced = 0
    fc.assert(
      fc.property(nastyMarkdown, (markdown) => {
        const { compression, attempt } = traceCompression(markdown, { scheme, code })
        const { content, rosetta, tokens, scheme: used } = compression
        expect(decode(content, parseRosetta(rosetta))).toBe(markdown)
        const prompt = framePacks([{}], [content], used === 'none' ? undefined : rosetta)
        expect(o200kBase.countTokens(prompt)).toBeLessThanOrEqual(tokens.source)
        // What does not pay for the instruction of a prompt is not returned, but is exact as well.
        const found = attempt?.encoding.compression
        if (found === undefined || found.entries.length === 0) return
        expect(decode(found.content, parseRosetta(found.rosetta))).toBe(markdown)
        replaced++
      }),
      { numRuns: RUNS },
    )
    expect(replaced).toBeGreaterThan(RUNS / 10)
  })
})
