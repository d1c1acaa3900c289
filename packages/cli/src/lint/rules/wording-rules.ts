import { loadCompressor } from '@packs/codec/compress'
import { formatCount } from '../../output/terminal.ts'
import type { LintDocument, Location } from '../document/lint-document.ts'
import type { Finding, Rule } from '../rule.ts'
import {
  findNearDuplicates,
  type Form,
  type NearDuplicate,
  type Occurrence,
} from '../words/find-near-duplicates.ts'
import type { Link } from '../document/scan-inlines.ts'
import { findSpellings, type Spelling, type SpellingGroup } from '../words/find-spellings.ts'

const compress = await loadCompressor()

/** Phrases of a document that are measured: each takes a compression. */
const MOST_MEASURED = 5
const LEAST_TOKENS = 2
/** In longer documents a compression takes too long to do it several times. */
const LONGEST_TEXT = 300_000

export const nearDuplicatePhrase: Rule = {
  name: 'near-duplicate-phrase',
  severity: 'info',
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

export const vagueLinkText: Rule = {
  name: 'vague-link-text',
  severity: 'warning',
  createCheck: () => ({ visit: (document) => document.links.flatMap((link) => checkLink(document, link)) }),
}

/** A longer text is never one of {@link VAGUE}. */
const LONGEST = 200

function checkLink({ text, locate }: LintDocument, link: Link): Finding[] {
  if (link.isImage || link.textEnd - link.textStart > LONGEST) return []
  const written = text.slice(link.textStart, link.textEnd)
  const words = written
    .toLowerCase()
    .replace(/[*_~]/g, '')
    .replace(/^[^\p{L}\p{N}`]+|(?<=[\p{L}\p{N}`])[^\p{L}\p{N}`]+$/gu, '')
    .replace(/\s+/g, ' ')
  if (!VAGUE.has(words)) return []
  return [
    {
      message: `The text of this link is only “${written.trim()}”`,
      hint: 'Write what the reader finds there: the title of the page, or the task.',
      places: [locate(link.start)],
    },
  ]
}

/** Texts that say nothing, without punctuation, in lower case. */
const VAGUE: ReadonlySet<string> = new Set(
  [
    'here|click here|click|click this|click this link|right here|over here|see here|read here|look here|go here|this',
    'this link|this page|this article|this document|this post|this one|link|the link|page|more|read more|learn more|see more',
    'more info|more information|more details|details|read this|check it out|check this out|this site|this website',
    'hier|hier klicken|klicken sie hier|klick hier|dieser link|diese seite|mehr|mehr erfahren|mehr lesen|weiterlesen|mehr infos',
    "ici|cliquez ici|cliquer ici|ce lien|cette page|en savoir plus|lire la suite|plus d’infos|plus d'infos|par ici|voir ici",
    'aquí|haz clic aquí|haga clic aquí|pulsa aquí|este enlace|esta página|leer más|más información|saber más|ver más|enlace',
    'aqui|clique aqui|este link|esta página|saiba mais|leia mais|qui|clicca qui|questo link|questa pagina|leggi di più',
    'klik hier|deze link|deze pagina|lees meer|meer informatie|tutaj|kliknij tutaj|więcej|zde|klikněte zde|více',
    'здесь|тут|по ссылке|эта ссылка|ссылка|подробнее|читать далее|тиць|тут|посилання|детальніше',
    'こちら|ここ|ここをクリック|こちらをクリック|詳細はこちら|詳しくはこちら|このページ|このリンク|リンク|続きを読む|もっと見る',
    '这里|這裡|此处|此處|点击这里|點擊這裡|点此|链接|連結|这个页面|此页面|此链接|更多|了解更多|阅读更多|查看更多|详情',
    '여기|여기를 클릭|이곳|링크|이 링크|이 페이지|더 보기|자세히|자세히 보기|더 알아보기',
  ].flatMap((line) => line.split('|')),
)

export const doubledAddress: Rule = {
  name: 'doubled-address',
  severity: 'info',
  createCheck: () => ({ visit: findDoubled }),
}

/** Returns one finding for all such links of a document. */
function findDoubled({ text, links, locate, countTokens }: LintDocument): Finding[] {
  const doubled = links.filter(
    ({ isImage, target, textStart, textEnd }) =>
      !isImage &&
      target !== undefined &&
      /^https?:\/\//i.test(target) &&
      text.slice(textStart, textEnd).trim() === target,
  )
  if (doubled.length === 0) return []
  let saves = 0
  for (const { start, end, target } of doubled)
    saves += countTokens(text.slice(start, end)) - countTokens(`<${target}>`)
  return [
    {
      message:
        doubled.length === 1
          ? 'A link repeats its URL as its text'
          : `${doubled.length} links repeat their URL as their text`,
      hint: `Write what the reader finds there, or <${doubled[0]!.target}>: that saves ${formatCount(saves)} tokens.`,
      places: doubled.map(({ start }) => locate(start)),
      saves,
    },
  ]
}

const MOST_PLACES = 100

export const inconsistentSpelling: Rule = {
  name: 'inconsistent-spelling',
  severity: 'warning',
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
    .flatMap((spelling) => listSpellings(documents, spelling))
    .slice(0, MOST_PLACES)
  const counts = spellings.map(({ written, uses }) => `“${written}” (${uses.length})`).join(' and ')
  return {
    message: `${counts} are spellings of one word`,
    hint: `Write “${advised.written}” everywhere.`,
    places,
  }
}

function listSpellings(documents: readonly LintDocument[], { uses }: Spelling): Location[] {
  return uses
    .slice(0, MOST_PLACES)
    .map(({ text, word }) => documents[text]!.locate(documents[text]!.words.starts[word]!))
}
