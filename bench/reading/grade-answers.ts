import { readFileSync } from 'node:fs'

/** The prompts of the study, in the order of its tables. */
export const ARMS = ['src', 'g1', 'd1', 'm1', 'd1p'] as const
export type Arm = (typeof ARMS)[number]
export type QuestionSet = 'a' | 'b'

export interface Question {
  readonly id: string
  /** Name of the document that answers it. */
  readonly doc: string
  readonly kind: string
  readonly question: string
  readonly answer: string
  /** Other forms that are right. */
  readonly accept: readonly string[]
  /** Passages of the document that the answer follows from, word for word. */
  readonly evidence: readonly string[]
}

interface JudgedAnswer {
  readonly n: number
  readonly question: string
  readonly given: string
}

/** How one answer was graded: equal after folding, or by the judge. `undefined` if neither decides. */
export type Grade = { readonly by: 'text' | 'judge'; readonly isRight: boolean } | undefined

export interface Reading {
  readonly questions: readonly Question[]
  /** Answers and texts of one run, by the id of the question or task. */
  readonly answers: Readonly<Record<string, string>>
}

/** Reads one run of the study: the questions of a set, and what was answered to a prompt. */
export function readRun(set: QuestionSet, arm: Arm): Reading {
  return { questions: readJson(`questions-${set}.json`), answers: readJson(`answers/${set}-${arm}.json`) }
}

/** Creates the grader of the study, with the verdicts of its judge. */
export function createGrader(): (question: Question, answer: string) => Grade {
  const verdicts = readJson<Readonly<Record<string, boolean>>>('verdicts.json')
  const judged = new Map(
    readJson<readonly JudgedAnswer[]>('judge.json').map(({ n, question, given }) => [
      JSON.stringify([question, given]),
      verdicts[n],
    ]),
  )
  return (question, answer) => {
    if (isEqual(question, answer)) return { by: 'text', isRight: true }
    const isRight = judged.get(JSON.stringify([question.question, answer]))
    return isRight === undefined ? undefined : { by: 'judge', isRight }
  }
}

/** Tells whether an answer is the expected one, or an accepted form of it, after folding. */
export function isEqual({ answer: expected, accept }: Question, answer: string): boolean {
  const folded = foldAnswer(answer)
  return [expected, ...accept].some((form) => foldAnswer(form) === folded)
}

/**
 * Folds what does not change an answer: case, quotes, markdown signs, spaces, and `. , ; :` at the
 * end of a word.
 *
 * @example foldAnswer('**“75 s.”**') → '75 s'
 */
export function foldAnswer(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/["'`“”‘’«»„*_]/g, '')
    .replaceAll(/[.,;:]+(?=\s|$)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/**
 * Upper bound for the share of questions that get worse, where none of `count` did (exact binomial,
 * Clopper and Pearson 1934).
 *
 * @param confidence for example 0.95, one-sided
 * @returns for example 0.0247 for 120 questions and 0.95
 */
export function boundLoss(count: number, confidence: number): number {
  return 1 - (1 - confidence) ** (1 / count)
}

function readJson<Value>(path: string): Value {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Value
}
