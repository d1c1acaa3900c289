import type { LintDocument, Location } from '../document/lint-document.ts'
import type { Finding, Rule } from '../rule.ts'
import { findSpellings, type Spelling, type SpellingGroup } from '../words/find-spellings.ts'

const MOST_PLACES = 100

export const inconsistentSpelling: Rule = {
  name: 'inconsistent-spelling',
  severity: 'warning',
  summary: 'one word in several spellings, in a document or across all',
  reason: 'Readers search for one spelling and miss the other, and a pack has to explain both.',
  bad: 'Github sends an e-mail. GitHub keeps your email address.',
  good: 'GitHub sends an email. GitHub keeps your email address.',
  createCheck: () => {
    const documents: LintDocument[] = []
    return {
      visit(document) {
        if (!document.isRecord) documents.push(document)
        return []
      },
      finish: () => findSpellings(documents).map((group) => describe(documents, group)),
    }
  },
}

function describe(documents: readonly LintDocument[], { spellings, advised }: SpellingGroup): Finding {
  const places = spellings
    .filter((spelling) => spelling !== advised)
    .flatMap((spelling) => listLocations(documents, spelling))
    .slice(0, MOST_PLACES)
  const counts = spellings.map(({ written, uses }) => `“${written}” (${uses.length})`).join(' and ')
  return {
    message: `${counts} are spellings of one word`,
    hint: `Write “${advised.written}” everywhere.`,
    places,
  }
}

function listLocations(documents: readonly LintDocument[], { uses }: Spelling): Location[] {
  return uses
    .slice(0, MOST_PLACES)
    .map(({ text, word }) => documents[text]!.locate(documents[text]!.words.starts[word]!))
}
