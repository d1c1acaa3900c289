import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { describeError } from '../../src/output/report-error.ts'
import { PromptError } from '../../src/prompt/compose-in-thread.ts'
import type { ComposedSet } from '../../src/prompt/compose-set.ts'
import {
  describePrompt,
  formatPlans,
  reportAsBuilt,
  reportNotes,
  reportShares,
  type PromptInputs,
} from '../../src/prompt/report-prompt.ts'

const SET: ComposedSet = {
  text: 'text',
  rosetta: '[DECODE] a=b',
  terms: [{ term: 'a', expansion: 'b' }],
  tokens: 750,
  tokenizer: 'o200k_base',
  scheme: 'dense-1',
  instructionTokens: 19,
  plan: { chosen: 'together', costs: { sources: 1000, asBuilt: 1010, together: 750 } },
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

it('formats what each plan costs and saves', () => {
  expect(formatPlans(SET)).toEqual([
    'plan      tokens    saved',
    'sources    1,000',
    'as built   1,010  -1.00 %',
    'together     750  25.00 %  chosen',
    '2 packs in tokens of o200k_base, frames included, 19 for the instruction',
  ])
})

it('leaves out a plan that is not possible', () => {
  const plan = { chosen: 'sources' as const, costs: { sources: 0, asBuilt: 0, together: undefined } }
  const lines = formatPlans({ ...SET, plan, packs: 1, instructionTokens: 0 })
  expect(lines.slice(1)).toEqual([
    'sources        0          chosen',
    'as built       0  0.00 %',
    '1 pack in tokens of o200k_base, frames included, no instruction',
  ])
})

it('describes a prompt for programs, with the files of notes and of packs that are left out', () => {
  const described = {
    ok: true,
    tokens: 750,
    tokenizer: 'o200k_base',
    instruction_tokens: 19,
    source_tokens: 980,
    plan: { chosen: 'together', costs: { sources: 1000, as_built: 1010, together: 750 } },
    packs: [
      { slug: 'one', file: '1.pack.json', tokens: 400 },
      { slug: 'two', file: '2.pack.json', tokens: 300 },
    ],
    left_out: ['3.pack.json'],
    notes: [{ code: 'pin_clashes', file: '2.pack.json', message: 'KP is a term of another pack' }],
  }
  expect(describePrompt(SET, INPUTS, true)).toEqual(described)
  const { text, rosetta, terms } = SET
  expect(describePrompt(SET, INPUTS, false)).toEqual({ ...described, text, rosetta, terms })
})

it('says which wishes were not followed, and which packs are left out', () => {
  reportNotes(SET, INPUTS)
  expect(notes).toBe(
    'note: 2.pack.json: KP is a term of another pack\nnote: left out, 2 of 3 packs fit: 3.pack.json\n',
  )
})

it.each([
  [{ sources: 9, asBuilt: 10, together: undefined }, 'the packs as they are save nothing'],
  [
    { sources: 9, asBuilt: undefined, together: undefined },
    'the packs as they are do not fit under one header and all glossaries',
  ],
])('says why a prompt of packs as they are has the sources: %j', (costs, reason) => {
  reportAsBuilt({ ...SET, plan: { chosen: 'asBuilt', costs } })
  expect(notes).toBe('')
  reportAsBuilt({ ...SET, plan: { chosen: 'sources', costs } })
  expect(notes).toBe(`note: ${reason}, so the prompt has their sources\n`)
})

it('lists the ten packs that take most of a budget', () => {
  const shares = Array.from({ length: 12 }, (_, at) => ({ slug: `pack-${at}`, tokens: 1000 * at }))
  const error = new PromptError('over_budget', 'too much', 'name fewer', { shares })
  reportShares(error)
  const lines = notes.trimEnd().split('\n')
  expect(lines).toHaveLength(11)
  expect(lines[0]).toBe('tokens  the largest of 12 packs')
  expect(lines[1]).toBe('11,000  pack-11')
  expect(lines.at(-1)).toBe(' 2,000  pack-2')
  expect(describeError(error)).toEqual({
    code: 'over_budget',
    message: 'too much',
    hint: 'name fewer',
    shares,
  })
})
