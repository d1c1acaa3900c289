import { decode } from '@packs/codec'
import { splitSections } from '@packs/codec/sections'
import type { Tokenizer } from '@packs/codec/tokens'
import type { NewVersion } from '@packs/catalog'
import type { Query } from '../search/load-query-set.ts'
import { type Answer, splitWords } from './chunk-search.ts'

/** How much of a section an answer must have. */
const MIN_SHARE = 0.6

/** A question, and for each of its parts the sections one of which answers it. */
export interface Question {
  readonly text: string
  readonly kind: string
  readonly parts: readonly ReadonlySet<string>[]
}

export interface Judgement {
  readonly kind: string
  readonly answered: boolean
  /** Tokens of the answer, and those that belong to no right section. */
  readonly tokens: number
  readonly unneeded: number
}

/** Returns the questions that a section answers. */
export function listQuestions(queries: readonly Query[]): Question[] {
  return queries.flatMap(({ text, kind, sections }) =>
    sections === null || text.includes('"') ? [] : [{ text, kind, parts: [sections] }],
  )
}

/** Joins each question with a later one about other documents by "and". */
export function pairQuestions(questions: readonly Question[]): Question[] {
  const packs = ({ parts }: Question): Set<string> =>
    new Set(parts.flatMap((part) => [...part].map((name) => name.split('#')[0]!)))
  return questions.flatMap((first, index) => {
    const own = packs(first)
    for (let step = 7; step < questions.length; step++) {
      const second = questions[(index + step) % questions.length]!
      if (second.kind !== first.kind || [...packs(second)].some((pack) => own.has(pack))) continue
      const text = `${first.text.replace(/[?.]\s*$/, '')} and ${second.text}`
      return Array.from(text).length > 400
        ? []
        : [{ text, kind: 'two parts', parts: [...first.parts, ...second.parts] }]
    }
    return []
  })
}

/** Creates a function that judges an answer within a budget. */
export function createJudge(
  versions: readonly NewVersion[],
  tokenizer: Tokenizer,
): (question: Question, answer: Answer, budget: number) => Judgement {
  const sections = new Map<string, string>()
  for (const { pack } of versions) {
    const body = decode(pack.content, pack.rosetta)
    for (const { id, start, end } of splitSections(body))
      sections.set(`${pack.slug}#${id}`, body.slice(start, end))
  }
  return ({ text, kind, parts }, answer, budget) => {
    const room = budget / parts.length
    const judged = parts.map((part) =>
      [...part].map((name) => judgeSection(sections.get(name) ?? '', text, answer.text, room, tokenizer)),
    )
    const needed = judged.flat().reduce((sum, { present }) => sum + present, 0)
    return {
      kind,
      answered: judged.every((part) => part.some(({ isThere }) => isThere)),
      tokens: answer.tokens,
      unneeded: Math.max(0, answer.tokens - needed),
    }
  }
}

/** Tells whether an answer has a section: 60 % of it, or the paragraph that matches if it is longer than the budget. */
function judgeSection(
  section: string,
  question: string,
  answer: string,
  budget: number,
  tokenizer: Tokenizer,
): { readonly isThere: boolean; readonly present: number } {
  const lines = section.split('\n').map((line) => line.trim())
  const full = lines.filter((line) => line !== '')
  const found = full.filter((line) => answer.includes(line))
  const size = (some: readonly string[]): number => some.reduce((sum, line) => sum + line.length, 0)
  const tokens = tokenizer.countTokens(section)
  const share = size(found) / Math.max(1, size(full))
  const present = share * tokens
  if (tokens <= budget) return { isThere: share >= MIN_SHARE, present }
  const paragraph = findParagraph(section, question)
  const own = paragraph
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const there = own.filter((line) => answer.includes(line))
  return { isThere: size(there) / Math.max(1, size(own)) >= MIN_SHARE, present }
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
