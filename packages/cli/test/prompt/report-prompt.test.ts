import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { describeError } from '../../src/output/report-error.ts'
import { CliError } from '../../src/cli-error.ts'
import type { ComposedSet } from '../../src/prompt/compose-set.ts'
import { formatPlans, reportNotes, reportShares, type PromptInputs } from '../../src/prompt/report-prompt.ts'

const SET: ComposedSet = {
  text: 'text',
  rosetta: '[DECODE] a=b',
  links: {},
  terms: [{ term: 'a', expansion: 'b' }],
  tokens: 750,
  tokenizer: 'o200k_base',
  scheme: 'dense-2',
  instructionTokens: 24,
  plan: { chosen: 'together', costs: { texts: 1000, together: 750 } },
  packs: 2,
  shares: [
    { slug: 'one', tokens: 400 },
    { slug: 'two', tokens: 300 },
  ],
  notes: [{ code: 'pin_clashes', pack: 1, message: 'KP is a term of another pack' }],
}
const INPUTS: PromptInputs = {
  shown: ['1.pack.json', '2.pack.json', '3.pack.json'],
  slugs: ['one', 'two', 'three'],
  sourceTokens: 980,
}

let notes: string
beforeEach(() => {
  notes = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    notes += String(text)
    return true
  })
})
afterEach(() => void vi.restoreAllMocks())

it('says what a prompt saves of the sources, and what it costs with and without a header', () => {
  expect(formatPlans(SET, INPUTS)).toEqual([
    '2 packs, 980 → 750 tokens: 23.5 % less.',
    'Counted in o200k_base, with tags and 24 tokens of instruction.',
    '',
    'plan                tokens',
    'no header            1,000',
    'one header for all     750  25.0 % less, chosen',
  ])
})

it.each([
  [undefined, 980, '1 pack, 980 → 1,000 tokens: nothing saved.'],
  [1000, null, '1 pack, 1,000 tokens.'],
])('does not name a header that saves nothing (%s)', (together, sourceTokens, verdict) => {
  const plan = { chosen: 'texts' as const, costs: { texts: 1000, together } }
  const set = { ...SET, plan, packs: 1, tokens: 1000, instructionTokens: 0 }
  expect(formatPlans(set, { ...INPUTS, sourceTokens })).toEqual([
    verdict,
    'Counted in o200k_base, with tags.',
  ])
})

it('says which wishes were not followed, and which packs are skipped', () => {
  reportNotes(SET, INPUTS)
  expect(notes).toBe(
    'note: 2.pack.json: KP is a term of another pack\nnote: 2 of 3 packs fit; skipped 3.pack.json\n',
  )
})

it('says why a prompt has no header although a header takes fewer tokens', () => {
  const plan = { chosen: 'texts' as const, costs: { texts: 1000, together: 990 } }
  expect(formatPlans({ ...SET, plan, tokens: 1000 }, INPUTS).slice(-3)).toEqual([
    'no header            1,000  chosen',
    'one header for all     990  1.0 % less',
    'A header must save 2 % and 40 tokens.',
  ])
})

it('lists the ten packs that take most of a budget', () => {
  const shares = Array.from({ length: 12 }, (_, at) => ({ slug: `pack-${at}`, tokens: 1000 * at }))
  const error = new CliError('source_too_large', 'too much', 'name fewer', { shares })
  reportShares(error)
  const lines = notes.trimEnd().split('\n')
  expect(lines).toHaveLength(11)
  expect(lines[0]).toBe('tokens  the largest of 12 packs')
  expect(lines[1]).toBe('11,000  pack-11')
  expect(lines.at(-1)).toBe(' 2,000  pack-2')
  expect(describeError(error)).toEqual({
    code: 'source_too_large',
    message: 'too much',
    hint: 'name fewer',
    shares,
  })
})
