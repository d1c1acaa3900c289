import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compress } from '../../src/compress/index.ts'
import { parseSource } from '../../src/source/index.ts'

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const { source } = parseSource(read('examples/packs/payments-api-reference.md'), {
  path: 'payments-api-reference.md',
})
const section = read('docs/compression.md').split('## What it looks like')[1]!.split('## What to expect')[0]!

describe('the samples of docs/compression.md', () => {
  it.each(['glossary-1', 'dense-1', 'max-1'] as const)('match the output of %s', (scheme) => {
    const [, net, content, rosetta] = new RegExp(
      `\`${scheme}\`, ([\\d.]+) % net[^]*?\`\`\`markdown\\n([^]*?)\\n\`\`\`\\n\\n\`\`\`text\\n([^]*?)\\|…\\n`,
    ).exec(section)!
    const made = compress(source!.body, { scheme })
    const { source: full, content: paid, rosetta: header } = made.tokens
    expect((100 * (1 - (paid + header) / full)).toFixed(1)).toBe(net)
    expect(made.content).toContain(content)
    expect(made.rosetta.startsWith(`${rosetta}|`)).toBe(true)
  })
})
