import { expect, it } from 'vitest'
import { prepareText, type PreparedText } from '../../../src/compress/prepare-text.ts'
import { o200kBase } from '../../../src/tokens/o200k-base.ts'

const clauses = ['**not found**: ', 'see `id_of_it`, ', 'it (and it) ', '"a": 1, "b": 2; ', '- [x](y/z) or ']
const text = Array.from({ length: 90 }, (_, at) => clauses[(at * at + (at >> 2)) % 5]! + (at % 7)).join('\n')

/** Every phrase that pays alone, since what an author names switches the rule off. */
const prepareAll = (scheme: 'dense-1' | 'max-1'): PreparedText =>
  prepareText(text, { scheme, tokenizer: o200kBase, glossary: [{ expansion: 'nowhere' }], code: false })
const prepareFew = (scheme: 'dense-1' | 'max-1'): PreparedText =>
  prepareText(text, { scheme, tokenizer: o200kBase, glossary: [], code: false })

function listPhrases({ set, units }: PreparedText) {
  return Array.from(set.sample, (begin, phrase) => {
    const slots = set.slotsByPhrase.subarray(set.firstByPhrase[phrase], set.firstByPhrase[phrase + 1])
    return {
      text: text.slice(units.starts[begin], units.starts[begin + set.length[phrase]!]),
      length: set.length[phrase]!,
      cost: set.cost[phrase]!,
      uses: new Map(
        Array.from(slots, (slot) => {
          return [set.slotStart[slot]!, set.slotSaved[slot]!] as const
        }),
      ),
    }
  })
}

it.each(['dense-1', 'max-1'] as const)('leaves out of %s only what a part is as good as', (scheme) => {
  const all = listPhrases(prepareAll(scheme))
  const few = listPhrases(prepareFew(scheme))
  const kept = new Set(few.map((phrase) => phrase.text))
  const left = all.filter((phrase) => !kept.has(phrase.text))
  expect(all.filter((phrase) => kept.has(phrase.text))).toEqual(few)
  expect(left.length).toBeGreaterThan(0)
  for (const phrase of left) {
    const better = few.find((part) => {
      const skipped = phrase.length - part.length
      if (skipped <= 0 || !phrase.text.includes(part.text) || part.cost > phrase.cost) return false
      return [...phrase.uses].every(([begin, saved]) =>
        Array.from({ length: skipped + 1 }, (_, at) => begin + at).some(
          (at) => (part.uses.get(at) ?? 0) >= saved,
        ),
      )
    })
    expect(better?.text ?? `no part of ${phrase.text}`).not.toMatch(/^no part/)
  }
})
