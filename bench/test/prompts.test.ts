import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ComposedPrompt } from '@packs/codec/prompt'
import { describe, expect, it } from 'vitest'
import { createDocument } from '../documents.ts'
import { createSetMeter, findFaults, poolSets, type SetResult } from '../prompts/measure-set.ts'
import { composeRandomSets } from '../prompts/random-sets.ts'
import { formatPrompts, putPromptFigures, type PromptResults } from '../prompts/report-prompts.ts'
import { countTokens } from '../reference-tokenizer.ts'

const set: SetResult = {
  folder: 'guides',
  documents: 15,
  scheme: 'dense-1',
  sources: 10_000,
  packs: 7_900,
  bodies: 9_900,
  asBuilt: 8_800,
  together: 7_250,
  chosen: 7_250,
  time: { tokenize: 12, compress: 1.25 },
}
const results: PromptResults = {
  machine: { cpu: 'Some CPU', cores: 2, memoryGB: 4, node: 'v24.0.0' },
  corpus: 'corpus',
  alone: [{ ...set, documents: 7 }],
  sets: [set],
  faults: { notRestored: 0, overSources: 0, miscounted: 0 },
  random: {
    sets: 3,
    packs: 12,
    errors: ['set 2: broken'],
    chosen: { together: 2 },
    notRestored: 0,
    overSources: 1,
    miscounted: 0,
  },
}

it('measures sets of documents, and finds no fault', () => {
  const line = 'The certificate transparency log names a certificate authority.\n'
  const documents = ['a', 'b'].map((file) => createDocument(file, `# ${file}\n\n${line.repeat(30)}`))
  const meter = createSetMeter()
  const measured = meter.measure(documents, 'dense-1', true)
  expect(measured.documents).toBe(2)
  expect(measured.bodies).toBe(documents[0]!.tokens + documents[1]!.tokens)
  expect(measured.sources).toBeGreaterThan(measured.bodies)
  expect(measured.chosen).toBeLessThan(measured.sources / 2)
  expect(meter.faults()).toEqual({ notRestored: 0, overSources: 0, miscounted: 0 })
  expect(
    poolSets([
      { folder: 'guides', ...measured },
      { folder: 'guides', ...measured },
    ]),
  ).toMatchObject({
    documents: 4,
    chosen: 2 * measured.chosen,
  })
})

it('finds a text that does not come back, costs more than the sources, and is counted wrongly', () => {
  const prompt: ComposedPrompt = {
    text: `Read.\n[DECODE] KP=knowledge pack\n\nA KP.`,
    rosetta: '[DECODE] KP=knowledge pack',
    terms: [{ term: 'KP', expansion: 'knowledge pack' }],
    state: '',
    tokens: 11,
    tokenizer: 'o200k_base',
    scheme: 'dense-1',
    plan: { chosen: 'together', costs: { sources: 5, asBuilt: 20, together: 20 } },
    packs: 1,
    shares: [],
    notes: [],
  }
  expect(findFaults(prompt, [{ content: '', rosetta: '' }], ['A knowledge pack'], countTokens)).toEqual({
    notRestored: true,
    overSources: true,
    miscounted: true,
  })
})

it('composes the same random sets in every run', async () => {
  const documents = [createDocument('a', 'One line of a text that is repeated.\n'.repeat(50))]
  let steps = 0
  const run = async (): Promise<unknown> => composeRandomSets(documents, 2, () => void steps++)
  const first = await run()
  expect(first).toMatchObject({ sets: 2, errors: [], notRestored: 0, overSources: 0, miscounted: 0 })
  expect(await run()).toEqual(first)
  expect(steps).toBe(4)
})

describe('the report', () => {
  it('shows what prompts save, what is wrong, and the time', () => {
    const report = formatPrompts(results)
    expect(report).toContain(
      '|        15 | dense-1 |  10,000 |       20.2 % |   12.0 % |   27.5 % | 27.5 % |',
    )
    expect(report).toMatch(/^\| random sets +\| +3 \| +1 \| +0 \| +1 \| +0 \|$/m)
    expect(report).toContain('- set 2: broken')
    expect(report).toMatch(/^\| dense-1 +\| +1 \| +12\.0× \| +1\.25× \| ≤ 1\.5× \| met \|$/m)
  })

  it('puts the sets of fifteen into a page', () => {
    const page = 'before\n\n<!-- prompts: begin -->\n\nold\n\n<!-- prompts: end -->\n\nafter\n'
    const written = putPromptFigures(page, results)
    expect(written).toMatch(/^before\n\n<!-- prompts: begin -->\n\n\| fifteen packs in one prompt/)
    expect(written).toContain('| guides ')
    expect(written).not.toContain('old')
    expect(putPromptFigures(written, results)).toBe(written)
    expect(() => putPromptFigures('# Packs', results)).toThrow('<!-- prompts: begin -->')
  })

  it('is the one that docs/prompts.md shows', () => {
    const root = join(import.meta.dirname, '..', '..')
    const saved = JSON.parse(readFileSync(join(root, 'bench/results/prompts.json'), 'utf8')) as PromptResults
    const text = readFileSync(join(root, 'docs/prompts.md'), 'utf8')
    expect(putPromptFigures(text, saved)).toBe(text)
  })
})
