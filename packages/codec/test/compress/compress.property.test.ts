import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compress } from '../../src/compress/compress.ts'
import { countSteps, encodeText } from '../../src/compress/encode-text.ts'
import { prepareText } from '../../src/compress/prepare-text.ts'
import { decode, parseRosetta, restore } from '../../src/index.ts'
import { writeHead } from '../../src/frame-packs.ts'
import { o200kBase } from '../load-o200k-base.ts'
import { nastyMarkdown, PHRASES } from './nasty-markdown.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

/** Texts for each scheme and setting; `pnpm test:exact` takes 50,000. */
const RUNS = countRuns(200)
const SCHEMES = ['minify-1', 'dense-2', 'max-2'] as const
/** Under `minify-1` only what the author names can be an entry. */
const GLOSSARY = PHRASES.map((expansion, at) => ({ expansion, term: `Qzv${'abcde'[at]}` }))
/** More of the phrases, or texts of this size would rarely have a header. */
const MORE = `\n\n${PHRASES.join(', ')}.`

/** What a header must save: at least a token, and as by default. */
const WORTH = [
  { percent: 0, tokens: 0 },
  { percent: 2, tokens: 40 },
]

describe.each(SCHEMES)('%s', (scheme) => {
  it.each([false, true])('decodes to its source through the parsed header, code %s', (code) => {
    const glossary = scheme === 'minify-1' ? GLOSSARY : []
    const more = scheme === 'minify-1' ? MORE.repeat(4) : ''
    let replaced = 0
    let returned = 0
    fc.assert(
      fc.property(nastyMarkdown, fc.constantFrom(...WORTH), (text, worthHeader) => {
        const markdown = text + more
        const compression = compress(markdown, { scheme, code, worthHeader, glossary })
        const { content, rosetta, entries, tokens, text: read } = compression
        expect(decode(content, parseRosetta(rosetta))).toBe(read)
        expect(restore(compression)).toBe(markdown)
        const prompt = entries.length === 0 ? content : writeHead(rosetta) + content
        const { percent, tokens: least } = worthHeader
        const full = o200kBase.countTokens(read)
        expect(full).toBeLessThanOrEqual(tokens.source)
        const needed = entries.length === 0 ? 0 : Math.max(1, least, (percent / 100) * full)
        expect(full - o200kBase.countTokens(prompt)).toBeGreaterThanOrEqual(needed)
        if (entries.length > 0) returned++
        // What is not worth its header is not returned, but is exact as well.
        const prepared = prepareText(read, { scheme, tokenizer: o200kBase, glossary, code })
        const found = encodeText(prepared, countSteps(prepared, 'fast')).compression
        if (found.entries.length === 0) return
        expect(decode(found.content, parseRosetta(found.rosetta))).toBe(read)
        replaced++
      }),
      { numRuns: RUNS },
    )
    expect(replaced).toBeGreaterThan(RUNS / 10)
    expect(returned).toBeGreaterThan(0)
  })
})
