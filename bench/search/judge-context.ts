import type { Tokenizer } from '@packs/codec/compress'
import { medianOf, round } from '../measure.ts'
import { createBm25, splitWords } from './bm25.ts'
import type { Query, SetPack } from './query-set.ts'

/** How questions of a kind are answered within a budget. */
export interface ContextFigures {
  readonly name: 'chunks' | 'passages'
  readonly budget: number
  readonly kind: string
  readonly questions: number
  /** Percent of the questions whose answer has the section. */
  readonly answered: number
  /** Mean tokens of an answer. */
  readonly tokens: number
  /** Median tokens of the tags of a passage and of the titles above it. */
  readonly framing: number
}

/** Texts that answer a question, and how many tokens they take. */
export interface Answer {
  readonly text: string
  readonly tokens: number
  readonly passages?: readonly TaggedPassage[]
}

interface TaggedPassage {
  readonly path: readonly string[]
  readonly text: string
  readonly tokens: number
}

export type Ask = (question: string, budget: number) => Promise<Answer> | Answer

type Question = Pick<Query, 'text' | 'kind' | 'parts'>

const BUDGETS = [500, 1000, 2000, 4000]
/** How much of a section an answer must have. */
const MIN_SHARE = 0.6
const CHUNK_TOKENS = 400

/**
 * Asks the questions that a section answers, and pairs of them about different documents joined by "and". A question counts as
 * answered if the text has at least 60 % of the section, or of its best paragraph if the section is longer than the budget; one
 * with two parts if it has both, each within half of the budget.
 */
export async function judgeContext(
  name: ContextFigures['name'],
  packs: readonly SetPack[],
  queries: readonly Query[],
  ask: Ask,
  tokenizer: Tokenizer,
): Promise<ContextFigures[]> {
  const own = queries.filter(({ text, parts }) => parts.length > 0 && !text.includes('"'))
  const pairs = pairQuestions(own.filter(({ parts }) => parts.length === 1))
  const texts = new Map(packs.flatMap(({ sections }) => sections.map((one) => [one.name, one.text])))
  const figures: ContextFigures[] = []
  for (const budget of BUDGETS) {
    const judge = async ({ text, kind, parts }: Question) => {
      const answer = await ask(text, budget)
      if (answer.tokens > budget) throw new Error(`An answer has ${answer.tokens} of ${budget} tokens`)
      const isThere = (name: string): boolean => {
        const section = texts.get(name) ?? ''
        const isWhole = tokenizer.countTokens(section) <= budget / parts.length
        return shareOf(isWhole ? section : findParagraph(section, text), answer.text) >= MIN_SHARE
      }
      const framing = answer.passages?.map((passage) => countFraming(passage, tokenizer)) ?? []
      const answered = parts.every((part) => [...part].some(isThere))
      return { kind, answered, tokens: answer.tokens, framing }
    }
    const rows: Awaited<ReturnType<typeof judge>>[] = []
    for (const question of [...own, ...pairs]) rows.push(await judge(question))
    const kinds = [...Map.groupBy(rows, ({ kind }) => kind)].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const groups = [['all', rows.filter(({ kind }) => kind !== 'two parts')] as const, ...kinds]
    for (const [kind, own] of groups) {
      const mean = (value: (row: (typeof rows)[number]) => number): number =>
        own.reduce((sum, row) => sum + value(row), 0) / Math.max(1, own.length)
      figures.push({
        name,
        budget,
        kind,
        questions: own.length,
        answered: round(100 * mean(({ answered }) => Number(answered))),
        tokens: Math.round(mean(({ tokens }) => tokens)),
        framing: medianOf(own.flatMap(({ framing }) => framing)),
      })
    }
  }
  return figures
}

function countFraming({ path, text, tokens }: TaggedPassage, tokenizer: Tokenizer): number {
  const [line = '', ...rest] = text.split('\n')
  const isPlace = path.some((title) => line.startsWith(title.slice(0, 50)))
  return tokens - tokenizer.countTokens(isPlace ? rest.join('\n') : text)
}

/** An answer that says how well it matches, and which query was searched instead. */
export interface SignedAnswer extends Answer {
  readonly match: 'good' | 'partial' | 'none'
  readonly corrected: string | null
}

/** How questions of a kind are matched, and for how many a word was replaced; in percent. */
export type MatchFigures = Readonly<Record<'questions' | SignedAnswer['match'] | 'replaced', number>> & {
  readonly kind: string
}

const OWN_KINDS = ['title', 'typo', 'two parts', 'no answer', 'common word']

export async function judgeMatch(
  queries: readonly Query[],
  ask: (question: string, budget: number) => Promise<SignedAnswer>,
): Promise<MatchFigures[]> {
  const figures: MatchFigures[] = []
  const kindOf = ({ kind }: Query): string => (OWN_KINDS.includes(kind) ? kind : 'others')
  for (const [kind, own] of Map.groupBy(queries, kindOf)) {
    const answers: SignedAnswer[] = []
    for (const { text } of own) answers.push(await ask(text, 1000))
    const share = (isSo: (answer: SignedAnswer) => boolean): number =>
      round((100 * answers.filter(isSo).length) / own.length)
    const has = (one: string): number => share(({ match }) => match === one)
    const replaced = share(({ corrected }) => corrected !== null)
    const [good, partial, none] = [has('good'), has('partial'), has('none')]
    figures.push({ kind, questions: own.length, good, partial, none, replaced })
  }
  return figures
}

/** Creates the yardstick: as many chunks of 400 tokens, ranked by plain BM25, as a budget holds. Chunks end at lines. */
export function createChunkSearch(packs: readonly SetPack[], tokenizer: Tokenizer): Ask {
  const rank = createBm25(packs.flatMap(({ body }) => cutChunks(body, tokenizer)))
  return (question, budget) => {
    const texts: string[] = []
    let tokens = 0
    for (const chunk of rank(question)) {
      if (tokens + chunk.tokens > budget) break
      tokens += chunk.tokens
      texts.push(chunk.words)
    }
    return { text: texts.join('\n'), tokens }
  }
}

function cutChunks(body: string, tokenizer: Tokenizer): { words: string; tokens: number }[] {
  const chunks: string[] = []
  let tokens = Infinity
  for (const line of body.split(/(?<=\n)/)) {
    const own = tokenizer.countTokens(line)
    if (tokens > 0 && tokens + own > CHUNK_TOKENS) [tokens] = [0, chunks.push('')]
    chunks[chunks.length - 1] += line
    tokens += own
  }
  return chunks
    .filter((text) => text.trim() !== '')
    .map((words) => ({ words, tokens: tokenizer.countTokens(words) }))
}

/** Joins each question with a later one about other documents by "and". */
function pairQuestions(questions: readonly Question[]): Question[] {
  const packs = ({ parts }: Question): Set<string> =>
    new Set(parts.flatMap((part) => [...part].map((name) => name.split('#')[0]!)))
  return questions.flatMap((first, index) => {
    const own = packs(first)
    for (let step = 7; step < questions.length; step++) {
      const second = questions[(index + step) % questions.length]!
      if (second.kind !== first.kind || [...packs(second)].some((pack) => own.has(pack))) continue
      const text = `${first.text.replace(/[?.]\s*$/, '')} and ${second.text}`
      const isShort = Array.from(text).length <= 400
      return isShort ? [{ text, kind: 'two parts', parts: [...first.parts, ...second.parts] }] : []
    }
    return []
  })
}

/** Share of the characters of a text whose lines are in an answer. */
function shareOf(text: string, answer: string): number {
  const lines = text.trim().split(/\s*\n\s*/)
  const size = (some: readonly string[]): number => some.reduce((sum, line) => sum + line.length, 0)
  return size(lines.filter((line) => answer.includes(line))) / Math.max(1, size(lines))
}

/** Returns the paragraph with most words of a question. */
function findParagraph(section: string, question: string): string {
  const words = new Set(splitWords(question).filter((word) => word.length > 3))
  const rate = (paragraph: string): number =>
    [...new Set(splitWords(paragraph))].filter((word) => words.has(word)).length
  const paragraphs = section
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '' && !/^#+ [^\n]*$/.test(paragraph.trim()))
  return paragraphs.toSorted((a, b) => rate(b) - rate(a))[0] ?? section
}
