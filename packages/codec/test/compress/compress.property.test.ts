import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compress } from '../../src/compress/index.ts'
import { decode, parseRosetta } from '../../src/index.ts'
import type { Scheme } from '../../src/types.ts'
import { nastyMarkdown } from './nasty-markdown.ts'

/** Texts for each scheme and setting; `pnpm test:exact` takes 50,000. */
const RUNS = Number(process.env['PACKS_PROPERTY_RUNS'] ?? 1_500)
const SCHEMES: readonly Scheme[] = ['glossary-1', 'dense-1', 'max-1']

describe.each(SCHEMES)('%s', (scheme) => {
  it.each([false, true])('decodes to its source through the parsed header, code %s', (code) => {
    let replaced = 0
    fc.assert(
      fc.property(nastyMarkdown, (markdown) => {
        const { content, rosetta, tokens, scheme: used } = compress(markdown, { scheme, code })
        expect(decode(content, parseRosetta(rosetta))).toBe(markdown)
        expect(tokens.content + tokens.rosetta).toBeLessThanOrEqual(tokens.source)
        if (used !== 'none') replaced++
      }),
      { numRuns: RUNS },
    )
    expect(replaced).toBeGreaterThan(RUNS / 10)
  })
})
