import { compress } from '@packs/codec/build'
import { formatCount } from '../../output/terminal.ts'
import type { LintDocument, Location } from '../document/lint-document.ts'
import type { Finding, Rule } from '../rule.ts'
import {
  findNearDuplicates,
  type Form,
  type NearDuplicate,
  type Occurrence,
} from '../words/find-near-duplicates.ts'

/** Phrases of a document that are measured: each takes a compression. */
const MOST_MEASURED = 5
const LEAST_TOKENS = 2
/** In longer documents a compression takes too long to do it several times. */
const LONGEST_TEXT = 300_000

export const nearDuplicatePhrase: Rule = {
  name: 'near-duplicate-phrase',
  severity: 'info',
  summary: 'phrases that say the same and differ in a word',
  reason:
    'Readers look for a difference where there is none, and a phrase that is always the same becomes one short term of the pack.',
  bad: 'A guest is not allowed to open the report. … A member is not permitted to open the report.',
  good: 'A guest is not allowed to open the report. … A member is not allowed to open the report.',
  createCheck: () => ({ visit: findPhrases }),
}

function findPhrases(document: LintDocument): Finding[] {
  if (document.text.length > LONGEST_TEXT || document.isRecord) return []
  const phrases = findNearDuplicates(document.words).slice(0, MOST_MEASURED)
  if (phrases.length === 0) return []
  const before = countPack(document, document.text)
  return phrases.flatMap((phrase) => measure(document, phrase, before))
}

/**
 * Builds the pack with the most frequent form instead of the others, and reports it if that saves
 * tokens.
 */
function measure(document: LintDocument, { forms }: NearDuplicate, before: number): Finding[] {
  const [form, ...others] = forms
  const phrase = readForm(document, form!)
  const saves = before - countPack(document, unify(document, others, phrase))
  const places = others.flatMap((other) => listLocations(document, other))
  if (saves < LEAST_TOKENS || places.length === 0) return []
  const counts = forms.map((each) => `“${readForm(document, each)}” (${each.occurrences.length})`)
  return [
    {
      message: `${counts.join(' and ')} say the same`,
      hint: `Write “${phrase}” everywhere: the pack is ${formatCount(saves)} tokens smaller then.`,
      places,
      saves,
    },
  ]
}

/** How a form is written where neither markup nor a line ending divides it. */
function readForm(document: LintDocument, { written, occurrences }: Form): string {
  const phrases = occurrences.map((occurrence) => document.text.slice(...readRange(document, occurrence)))
  return phrases.find((phrase) => isWhole(phrase, written)) ?? written
}

function readRange({ words }: LintDocument, { from, to }: Occurrence): [start: number, end: number] {
  return [words.starts[from]!, words.starts[to - 1]! + words.texts[to - 1]!.length]
}

function isWhole(phrase: string, written: string): boolean {
  return phrase.toLowerCase().replaceAll('’', "'") === written
}

function listLocations({ words, locate }: LintDocument, { occurrences }: Form): Location[] {
  return occurrences.map(({ from }) => locate(words.starts[from]!))
}

function countPack({ source }: LintDocument, text: string): number {
  const { compression: scheme, tokenizer, glossary, code, worthHeader } = source
  const options = { scheme, tokenizer, glossary, code, ...(worthHeader && { worthHeader }) }
  const { tokens } = compress(text, options)
  return tokens.content + tokens.rosetta
}

/**
 * Replaces other forms with a phrase. Forms that markup or a line ending divides are kept, so the
 * saving may be underestimated.
 */
function unify(document: LintDocument, others: readonly Form[], phrase: string): string {
  const { text } = document
  let unified = ''
  let offset = 0
  const occurrences = others.flatMap((other) => other.occurrences)
  for (const occurrence of occurrences.toSorted((a, b) => a.from - b.from)) {
    const [start, end] = readRange(document, occurrence)
    if (!isWhole(text.slice(start, end), occurrence.written)) continue
    unified += text.slice(offset, start) + matchCase(phrase, text.charAt(start))
    offset = end
  }
  return unified + text.slice(offset)
}

/** Capitalizes a phrase, or not, like the one that it replaces. */
function matchCase(phrase: string, first: string): string {
  const begin = phrase.charAt(0)
  return (first === first.toLowerCase() ? begin.toLowerCase() : begin.toUpperCase()) + phrase.slice(1)
}
