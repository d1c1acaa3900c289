import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { compress } from '../../src/compress/index.ts'
import { decode, parseRosetta, serializeRosetta } from '../../src/index.ts'
import type { Scheme } from '../../src/types.ts'
import { readCorpus } from '../tokens/corpus.ts'
import { blockTree } from '../markdown/block-tree.ts'

const documents = readCorpus()
const sourceTokens = documents.map(countIndependently)

function countIndependently(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() })
}

/**
 * What is saved at least, in percent: of the examples alone, with a third of the corpus, and with all of it. Most documents are
 * not worth a header under glossary-1.
 */
const LEAST_SAVED = { 'glossary-1': [0, 0.1, 0.1], 'dense-1': [4.5, 13, 15], 'max-1': [9, 19, 21] } as const
const share = documents.length < 30 ? 0 : documents.length < 90 ? 1 : 2

describe.each(['glossary-1', 'dense-1', 'max-1'] as const)('%s on real documents', (scheme) => {
  it('decodes to the source through the parsed header, with exact counts and never more tokens', () => {
    expect(documents.length).toBeGreaterThanOrEqual(8)
    let paid = 0
    let source = 0
    for (const [index, markdown] of documents.entries()) {
      const { content, rosetta, tokens, optimality } = compress(markdown, { scheme })
      const parsed = parseRosetta(rosetta)
      expect(serializeRosetta(parsed)).toBe(rosetta)
      expect(decode(content, parsed) === markdown).toBe(true)
      expect(tokens.source).toBe(sourceTokens[index])
      expect(tokens.content).toBe(countIndependently(content))
      expect(tokens.rosetta).toBe(rosetta === '[DECODE]' ? 0 : countIndependently(rosetta))
      expect(tokens.content + tokens.rosetta).toBeLessThanOrEqual(tokens.source)
      expect(optimality).toBeGreaterThan(0.5)
      expect(optimality).toBeLessThanOrEqual(1)
      paid += tokens.content + tokens.rosetta
      source += tokens.source
    }
    expect(100 * (1 - paid / source)).toBeGreaterThanOrEqual(LEAST_SAVED[scheme][share])
  })
})

describe.each<Scheme>(['glossary-1', 'dense-1'])('%s on real documents', (scheme) => {
  it('keeps the block tree of the reference parser', () => {
    for (const markdown of documents) {
      if (markdown.length > 60_000) continue
      const { content } = compress(markdown, { scheme, code: true })
      expect(blockTree(content)).toBe(blockTree(markdown))
    }
  })
})
