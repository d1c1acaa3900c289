import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CodecError, createDecoder, decode, decodeStream } from '../../src/index.ts'
import { contents, cut, headers } from '../arbitraries.ts'
import { decodeLiterally } from '../reference-decoder.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

const places = fc.array(fc.nat(200), { maxLength: 12 })

describe('decode', () => {
  test('matches a literal implementation of the rule', () => {
    fc.assert(
      fc.property(contents, headers, (content, entries) => {
        expect(decode(content, { entries })).toBe(decodeLiterally(content, entries))
      }),
      { numRuns: countRuns(400) },
    )
  })
})

describe('createDecoder', () => {
  test('returns the result of decode for every chunking', () => {
    fc.assert(
      fc.property(contents, headers, places, (content, entries, ends) => {
        const whole = decode(content, { entries })
        expect(decodeChunks(cut(content, ends), entries)).toBe(whole)
        expect(decodeChunks(content.split(''), entries)).toBe(whole)
      }),
      { numRuns: countRuns(400) },
    )
  })

  test('refuses the same unit for every chunking', () => {
    fc.assert(
      fc.property(contents, headers, places, fc.nat(60), (content, entries, ends, maxOutput) => {
        const whole = attempt(() => decode(content, { entries }, { maxOutput }))
        const chunked = attempt(() => decodeChunks(cut(content, ends), entries, maxOutput))
        const units = attempt(() => decodeChunks(content.split(''), entries, maxOutput))
        expect(chunked).toEqual(whole)
        expect(units).toEqual(whole)
        const length = decode(content, { entries }).length
        expect(typeof whole).toBe(length > maxOutput ? 'object' : 'string')
      }),
      { numRuns: countRuns(200) },
    )
  })

  test('holds back at most the longest term and one code point', () => {
    fc.assert(
      fc.property(contents, headers, (content, entries) => {
        const same = entries.map(({ term }) => ({ term, expansion: term }))
        const longest = Math.max(0, ...same.map(({ term }) => term.length))
        const decoder = createDecoder({ entries: same.toReversed().filter(isAlone) })
        let given = 0
        for (let end = 1; end <= content.length; end++) {
          given += decoder.push(content.charAt(end - 1)).length
          expect(end - given).toBeLessThanOrEqual(longest + 1)
        }
      }),
      { numRuns: countRuns(200) },
    )
  })
})

test('decodeStream returns the result of decode for every chunking', async () => {
  await fc.assert(
    fc.asyncProperty(contents, headers, places, async (content, entries, ends) => {
      const stream = streamOf(cut(content, ends)).pipeThrough(decodeStream({ entries }))
      let output = ''
      for await (const chunk of stream) output += chunk
      expect(output).toBe(decode(content, { entries }))
    }),
    { numRuns: countRuns(100) },
  )
})

function streamOf(chunks: readonly string[]): ReadableStream<string> {
  return new ReadableStream<string>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}

function decodeChunks(
  chunks: readonly string[],
  entries: Parameters<typeof decodeLiterally>[1],
  maxOutput?: number,
): string {
  const decoder = createDecoder({ entries }, maxOutput === undefined ? {} : { maxOutput })
  return chunks.map(decoder.push).join('') + decoder.end()
}

function attempt(run: () => string): string | { code: string; offset: number | undefined } {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    return { code: error.code, offset: error.offset }
  }
}

function isAlone({ term }: { term: string }, index: number, all: readonly { term: string }[]): boolean {
  return !all.slice(index + 1).some((later) => term.includes(later.term))
}
