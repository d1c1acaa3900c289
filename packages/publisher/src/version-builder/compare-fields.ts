import type { Source } from '@packs/codec/source'
import { quoteText, type Reason } from './reason.ts'

/** Says how front matter and the author's glossary differ from the parent's. */
export function compareFields(parent: Source, next: Source): Reason[] {
  return [...compareScheme(parent, next), ...compareTerms(parent, next), ...compareMetadata(parent, next)]
}

function compareScheme(parent: Source, next: Source): Reason[] {
  if (parent.compression === next.compression) return []
  const sentence = `the scheme changed from ${parent.compression} to ${next.compression}`
  return [{ level: 'minor', sentence }]
}

/** Terms that the author fixed; what the compressor chooses by itself is no promise to readers. */
function compareTerms(parent: Source, next: Source): Reason[] {
  const before = readTerms(parent)
  const after = readTerms(next)
  const reasons: Reason[] = []
  for (const [term, expansion] of before) {
    const found = after.get(term)
    if (found === undefined) {
      reasons.push({
        level: 'major',
        sentence: `the glossary term ${quoteText(term)} was removed or changed`,
      })
    } else if (found !== expansion) {
      reasons.push({ level: 'major', sentence: `the glossary term ${quoteText(term)} has another meaning` })
    }
  }
  for (const term of after.keys()) {
    if (!before.has(term)) {
      reasons.push({ level: 'minor', sentence: `the glossary term ${quoteText(term)} was added` })
    }
  }
  return reasons
}

function readTerms({ glossary }: Source): Map<string, string> {
  const fixed = glossary.filter(({ term, never }) => term !== undefined && never !== true)
  return new Map(fixed.map(({ term, expansion }) => [term!, expansion]))
}

const METADATA = [
  ['title', 'title'],
  ['domain', 'domain'],
  ['domainSlug', 'domain_slug'],
  ['subdomain', 'subdomain'],
  ['difficulty', 'difficulty'],
  ['tokenizer', 'tokenizer'],
  ['code', 'code'],
  ['budget', 'budget'],
] as const satisfies readonly (readonly [keyof Source, string])[]

function compareMetadata(parent: Source, next: Source): Reason[] {
  const names = METADATA.filter(([field]) => parent[field] !== next[field]).map(([, name]) => name)
  const reasons = names.map((name): Reason => ({ level: 'patch', sentence: `${name} changed` }))
  if (JSON.stringify(readWishes(parent)) === JSON.stringify(readWishes(next))) return reasons
  return [...reasons, { level: 'patch', sentence: 'glossary rules without a term changed' }]
}

function readWishes({ glossary }: Source): unknown[] {
  return glossary
    .filter(({ term, never }) => term === undefined || never === true)
    .map(({ expansion, never }) => [expansion, never === true])
}
