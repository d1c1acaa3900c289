import { decode } from '@packs/codec'
import type { Compression } from '@packs/codec/compress'
import type { BenchDocument } from './documents.ts'
import { compress, type Variant } from './variants.ts'

const PAGES = 20
const EDITS = 20
const CHANGES: readonly ((paragraphs: readonly string[], at: number) => readonly string[])[] = [
  (paragraphs, at) =>
    paragraphs.toSpliced(at, 0, 'Before you start, check that the last backup is not older than a day.'),
  (paragraphs, at) => paragraphs.toSpliced(at, 1),
  (paragraphs, at) => paragraphs.with(at, `${paragraphs[at]} This changed in the last release.`),
  (paragraphs, at) => paragraphs.with(at, paragraphs[at]!.replace(/\w{5,}/, 'configuration')),
]

/** Counts the phrases that keep their letter: of pages of 4,000 to 16,000 characters before and after small edits in all places. */
export function measureKeptLetters(documents: readonly BenchDocument[], variant: Variant): object {
  const sized = documents.filter(({ text }) => text.length > 4000 && text.length < 16_000)
  const step = Math.max(1, Math.floor(sized.length / PAGES))
  const count = { edits: 0, shared: 0, kept: 0 }
  for (const { text } of sized.filter((_, index) => index % step === 0).slice(0, PAGES)) {
    const before = readTerms(compress(text, variant.options))
    const paragraphs = text.split('\n\n')
    for (let edit = 0; edit < EDITS; edit++) {
      const at = Math.floor(((edit + 0.5) * paragraphs.length) / EDITS)
      const edited = CHANGES[edit % CHANGES.length]!(paragraphs, at).join('\n\n')
      const after = readTerms(compress(edited, variant.options))
      if (before.size === 0 || after.size === 0) continue
      count.edits++
      for (const [phrase, term] of after) {
        if (!before.has(phrase)) continue
        count.shared++
        if (before.get(phrase) === term) count.kept++
      }
    }
  }
  return { variant: variant.name, ...count, percent: (100 * count.kept) / count.shared }
}

/** The terms of a pack by what they stand for. */
function readTerms({ entries, rosetta }: Compression): ReadonlyMap<string, string> {
  return new Map(entries.map(({ term }) => [decode(term, rosetta).trim(), term]))
}
