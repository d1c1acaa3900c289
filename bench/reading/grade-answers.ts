import { readFileSync } from 'node:fs'
import { gradeByRule, parseQuestions, type Question } from '@packs/eval'

/** The prompts of the study, in the order of its tables. */
export const ARMS = ['src', 'g1', 'd1', 'm1', 'd1p'] as const
export type Arm = (typeof ARMS)[number]
export type QuestionSet = 'a' | 'b'

interface JudgedAnswer {
  readonly n: number
  readonly question: string
  readonly given: string
}

/** How one answer was graded, by a rule of `pack eval` or by the judge. `undefined` if neither decides. */
export type Grade = { readonly by: 'rule' | 'judge'; readonly isRight: boolean } | undefined

export interface Reading {
  readonly questions: readonly Question[]
  /** Answers and texts of one run, by the id of the question or task. */
  readonly answers: Readonly<Record<string, string>>
}

/** Reads one run of the study: the questions of a set, and what was answered to a prompt. */
export function readRun(set: QuestionSet, arm: Arm): Reading {
  const file = `questions-${set}.json`
  return { questions: parseQuestions(readText(file), file), answers: readJson(`answers/${set}-${arm}.json`) }
}

/** Creates the grader of the study: the rules of `pack eval`, then the verdicts of the study's judge. */
export function createGrader(): (question: Question, answer: string) => Grade {
  const verdicts = readJson<Readonly<Record<string, boolean>>>('verdicts.json')
  const judged = new Map(
    readJson<readonly JudgedAnswer[]>('judge.json').map(({ n, question, given }) => [
      JSON.stringify([question, given]),
      verdicts[n],
    ]),
  )
  return (question, answer) => {
    const grade = gradeByRule(question, answer)
    if (grade !== undefined) return { by: 'rule', isRight: grade === 'right' }
    const isRight = judged.get(JSON.stringify([question.question, answer]))
    return isRight === undefined ? undefined : { by: 'judge', isRight }
  }
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
  return JSON.parse(readText(path)) as Value
}

function readText(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}
