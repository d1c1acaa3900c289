import { describe, expect, it } from 'vitest'
import type { BuildResult } from '../../src/output/build-result.ts'
import { isWritable, validateResults } from '../../src/build-run/write-packs.ts'
import { errorDiagnostic } from '../../src/output/diagnostic.ts'

function built(shown: string, slug: string, saved = 10): BuildResult {
  return {
    path: `/x/${shown}`,
    shown,
    slugPosition: shown === 'a.md' ? { line: 2, column: 7 } : null,
    text: '{}',
    messages: [],
    pack: {
      slug,
      version: '0.0.0',
      compression: 'minify-1',
      tokenizer: 'o200k_base',
      uncompressed_estimate: 100,
      token_count: 80,
      rosetta_tokens: 10,
      savings_pct: 20,
      net_savings_pct: saved,
      entries: 2,
      optimality: 0.99,
    },
  }
}

const FAILED: BuildResult = {
  path: '/x/f.md',
  shown: 'f.md',
  slugPosition: null,
  pack: null,
  text: null,
  messages: [errorDiagnostic('f.md', 'file_not_found', '', '')],
}

describe('validateResults', () => {
  it('leaves results without errors unchanged', () => {
    const results = [built('a.md', 'a'), built('b.md', 'b'), FAILED]
    expect(validateResults(results, 10)).toEqual(results)
    expect(results.map(isWritable)).toEqual([true, true, false])
  })

  it('fails every source with a duplicate slug, and names the positions of the others', () => {
    const results = validateResults(
      [built('a.md', 's'), built('b.md', 's'), built('c.md', 's'), built('d.md', 'd')],
      undefined,
    )
    expect(results.map(isWritable)).toEqual([false, false, false, true])
    expect(results[0]!.messages).toMatchObject([
      {
        file: 'a.md',
        line: 2,
        column: 7,
        rule: 'duplicate_slug',
        message: 'slug "s" is also used by b.md, c.md',
      },
    ])
    expect(results[1]!.messages).toMatchObject([
      { file: 'b.md', line: null, column: null, message: 'slug "s" is also used by a.md:2:7, c.md' },
    ])
  })

  it('fails savings below the minimum, but not savings equal to it', () => {
    const results = validateResults([built('a.md', 'a', 4.99), built('b.md', 'b', 5)], 5)
    expect(results.map(isWritable)).toEqual([false, true])
    expect(results[0]!.messages).toMatchObject([{ rule: 'low_savings', severity: 'error' }])
  })
})
