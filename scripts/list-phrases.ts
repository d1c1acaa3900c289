import { globSync, readFileSync } from 'node:fs'

/** A phrase that a native reader stumbles over, and what to write instead. */
interface Phrase {
  readonly pattern: RegExp
  readonly instead: string
}

/** Phrases that documents, messages and comments do not use. */
export const PHRASES: readonly Phrase[] = [
  {
    pattern: /(?<!\bthere )\bis no (?!longer\b|more\b|less\b|later\b|larger\b|such\b|one\b)/i,
    instead: 'is not a',
  },
  {
    pattern: /, also (?:if|when|where|while|after|before|without|by|on|in|for|to|from|with)\b/i,
    instead: 'even',
  },
  { pattern: /\b(?:left|leaves?|leaving) (?:\w+ )?out\b(?! of\b)/i, instead: 'skipped, omitted' },
  {
    pattern:
      /\b(?:stands?|stood|standing) (?:in|on|at|before|after|behind|between|below|above|there|under|beside|next|still|alone|as|only|where|together|by)\b/i,
    instead: 'is, appears',
  },
  { pattern: /\banew\b/i, instead: 'again' },
  { pattern: /\bin addition\b/i, instead: 'also' },
  { pattern: /\bsome \d/i, instead: 'about' },
  { pattern: /\bfor ever\b/i, instead: 'forever' },
  { pattern: /\bgoes? on\b/i, instead: 'continues' },
  { pattern: /\bbelongs? into\b/i, instead: 'belongs in' },
  { pattern: /\bas paid\b/i, instead: 'counted as a whole prompt' },
  { pattern: /\bgiven (?:values?|fields?)\b/i, instead: 'source defaults' },
  { pattern: /\bprove[sdn]?\b(?! the optimum)|\bproving\b|(?<!-)\bunproven\b/i, instead: 'verify, verified' },
  { pattern: /\bopen(?:s|ed|ing)? (?:an|the|his|its|their) account\b/i, instead: 'reset access' },
  { pattern: /\bthreads? of documents\b/i, instead: 'document worker' },
  { pattern: /\bwithout a look at\b/i, instead: 'without checking' },
  { pattern: /\brejects? to\b/i, instead: 'rejects, refuses to' },
  { pattern: /\bwhoever\b/i, instead: 'anyone who, those who' },
  {
    pattern: /\baddress(?:es)? of (?:an? |the )?(?:catalog|server|database|Redis|proxy|model|page|pages)\b/i,
    instead: 'URL',
  },
  {
    pattern:
      /\b(?:serialis|tokenis|normalis|recognis|optimis|summaris|minimis|maximis|initialis|organis(?!m)|capitalis|categoris|synchronis|authoris|colour|behaviour|neighbour|favour|honour|licence|catalogue|centre\b|analyse|(?<!\/|!)cancell(?:ed|ing)(?!\(\))|(?<!aria-)labell(?:ed|ing)|modell(?:ed|ing)|travell)/i,
    instead: 'American spelling',
  },
]

/** Files whose words are data or examples of what other people write, each with the reason. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([])

/** Documents and sources that people read, as paths from the root. */
export function listTexts(): string[] {
  const paths = globSync([
    '*.md',
    'docs/**/*.md',
    'packages/*/*.md',
    'packages/*/src/**/*.ts',
    'examples/*.{md,ts}',
    'bench/reading/*.md',
    '.github/**/*.{md,yml}',
  ])
  return paths.filter(
    (path) => !EXCEPTIONS.has(path) && !/\/(?:node_modules|thesaurus|generated)\//.test(path),
  )
}

/** A use of a phrase: where it is, and what to write instead. */
export interface PhraseUse {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly instead: string
}

/**
 * Lists the uses of the phrases in a text. A phrase may cross the end of a line, also in comments.
 *
 * @example listPhrases('a.md', 'A term\nstands at the start.') → one use, in line 2
 */
export function listPhrases(path: string, text: string): PhraseUse[] {
  // In documents, inline code is code. In sources, the same signs hold messages.
  const prose = path.endsWith('.md')
    ? text.replaceAll(/`[^`\n]+`/g, (code) => '\0'.padEnd(code.length, '\0'))
    : text
  // Continued comments and wrapped paragraphs read as one line; every offset stays the same.
  const joined = prose.replaceAll(/\n[ \t]*(?:\*|\/\/|>)?[ \t]+(?=\S)|\n(?=[a-z])/g, (end) =>
    ' '.padStart(end.length),
  )
  const flat = joined.replaceAll(/ {2,}/g, (spaces) => `\0`.repeat(spaces.length - 1) + ' ')
  const kept = Array.from({ length: flat.length }, (_, offset) => offset).filter(
    (offset) => flat[offset] !== '\0',
  )
  const plain = flat.replaceAll('\0', '')
  return PHRASES.flatMap(({ pattern, instead }) =>
    [...plain.matchAll(new RegExp(pattern.source, 'gi'))].map((match) => {
      const line = text.slice(0, kept[match.index]).split('\n').length
      return { path, line, text: plain.slice(match.index - 20, match.index + match[0].length + 20), instead }
    }),
  )
}

if (import.meta.main) {
  const [, , ...wanted] = process.argv
  const paths = listTexts().filter(
    (path) => wanted.length === 0 || wanted.some((start) => path.startsWith(start)),
  )
  const uses = paths.flatMap((path) => listPhrases(path, readFileSync(path, 'utf8')))
  for (const { path, line, text, instead } of uses)
    console.log(`${path}:${line}  …${text.replaceAll('\n', ' ')}…  → ${instead}`)
  console.log(`${uses.length} uses in ${paths.length} files`)
}
