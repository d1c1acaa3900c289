import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compress } from '../../src/compress/compress.ts'
import { parseSource } from '../../src/pack.ts'
import '../load-o200k-base.ts'

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const { body } = parseSource(read('examples/packs/payments-api-reference.md'), {
  path: 'payments-api-reference.md',
}).source!
const section = read('docs/schemes.md')
  .split('## What it looks like')[1]!
  .split('## Terms in every model')[0]!

describe('the samples of docs/schemes.md', () => {
  it('begin with two paragraphs of the source', () => {
    const [, sample] = /Source:\n\n```markdown\n([^]*?)\n```/.exec(section)!
    const paragraphs = sample!.split('\n\n')
    expect(paragraphs).toHaveLength(2)
    expect(paragraphs.filter((paragraph) => !body.includes(paragraph))).toEqual([])
  })

  it.each(['dense-2', 'max-2'] as const)('match the output of %s', (scheme) => {
    const [, net, sample, rosetta, more] = new RegExp(
      `\`${scheme}\`, ([\\d.]+) % net[^]*?\`\`\`markdown\\n([^]*?)\\n\`\`\`\\n\\n\`\`\`text\\n([^]*?)(\\|…)?\\n\`\`\``,
    ).exec(section)!
    const made = compress(body, { scheme })
    const { source: full, content: paid, rosetta: header } = made.tokens
    expect((100 * (1 - (paid + header) / full)).toFixed(1)).toBe(net)
    expect(sample!.split('\n\n').filter((paragraph) => !made.content.includes(paragraph))).toEqual([])
    expect(`${made.rosetta}|`.startsWith(`${rosetta}|`)).toBe(true)
    expect(made.rosetta === rosetta).toBe(more === undefined)
  })
})
