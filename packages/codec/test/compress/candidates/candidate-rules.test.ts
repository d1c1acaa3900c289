import { expect, it } from 'vitest'
import { prepareText, type PreparedText } from '../../../src/compress/prepare-text.ts'
import { o200kBase } from '../../load-o200k-base.ts'

const clauses = ['**not found**: ', 'see `id_of_it`, ', 'it (and it) ', '"a": 1, "b": 2; ', '- [x](y/z) or ']
const repetitive = Array.from({ length: 90 }, (_, at) => clauses[(at * at + (at >> 2)) % 5]! + (at % 7)).join(
  '\n',
)
/** Without text that does not repeat, there would be more occurrences a byte than the limit allows. */
const varied = Array.from({ length: 900 }, (_, at) => ((at * 7919) % 10_007).toString(36)).join(' ')
const text = `${repetitive}\n${varied}`

/** All candidates that pay alone: a phrase named by the author turns the dominance rule off. */
const prepareAll = (scheme: 'dense-2' | 'max-2'): PreparedText =>
  prepareText(text, { scheme, tokenizer: o200kBase, glossary: [{ expansion: 'nowhere' }], code: false })
const prepareFew = (scheme: 'dense-2' | 'max-2'): PreparedText =>
  prepareText(text, { scheme, tokenizer: o200kBase, glossary: [], code: false })

function listCandidates({ set, units }: PreparedText) {
  return Array.from(set.sample, (begin, candidate) => {
    const occurrences = set.occurrencesByCandidate.subarray(
      set.firstByCandidate[candidate],
      set.firstByCandidate[candidate + 1],
    )
    return {
      text: text.slice(units.starts[begin], units.starts[begin + set.length[candidate]!]),
      length: set.length[candidate]!,
      cost: set.cost[candidate]!,
      uses: new Map(
        Array.from(occurrences, (occurrence) => {
          return [set.occurrenceStart[occurrence]!, set.occurrenceSaved[occurrence]!] as const
        }),
      ),
    }
  })
}

it.each(['dense-2', 'max-2'] as const)('leaves out only dominated candidates of %s', (scheme) => {
  const all = listCandidates(prepareAll(scheme))
  const few = listCandidates(prepareFew(scheme))
  const kept = new Set(few.map((candidate) => candidate.text))
  const left = all.filter((candidate) => !kept.has(candidate.text))
  expect(all.filter((candidate) => kept.has(candidate.text))).toEqual(few)
  expect(left.length).toBeGreaterThan(0)
  for (const candidate of left) {
    const better = few.find((part) => {
      const skipped = candidate.length - part.length
      if (skipped <= 0 || !candidate.text.includes(part.text) || part.cost > candidate.cost) return false
      return [...candidate.uses].every(([begin, saved]) =>
        Array.from({ length: skipped + 1 }, (_, at) => begin + at).some(
          (at) => (part.uses.get(at) ?? 0) >= saved,
        ),
      )
    })
    expect(better?.text ?? `no part of ${candidate.text}`).not.toMatch(/^no part/)
  }
})
