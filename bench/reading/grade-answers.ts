import { readFileSync } from 'node:fs'
import { resolveLinks } from '@packs/codec'
import type { Question } from '@packs/eval'
import { gradeByRule } from '../../packages/eval/src/grading/grade-by-rule.ts'
import { parseQuestions } from '../../packages/eval/src/questions/read-questions.ts'

/** The prompts of the study, in the order of its tables. */
export const ARMS = { src: 'source', m1: 'minify-1', d2: 'dense-2', x2: 'max-2' } as const
export type Arm = keyof typeof ARMS
export type QuestionSet = 'a' | 'b'

/** A writing task. A text passes if it has all code of `has`, and all addresses of `links` once they are resolved. */
export interface Task {
  readonly id: string
  readonly doc: string
  readonly task: string
  readonly has: readonly string[]
  readonly links: readonly string[]
}

/** `undefined` if neither a rule nor the judge decides. */
export type Grade = { readonly by: 'rule' | 'judge'; readonly isRight: boolean } | undefined

export interface Reading {
  readonly questions: readonly Question[]
  readonly tasks: readonly Task[]
  /** Answers and texts of one run, by the id of the question or task. */
  readonly answers: Readonly<Record<string, string>>
  readonly prompt: string
  /** Addresses of the numbers in the prompt. */
  readonly links: readonly string[]
}

/** Reads one run of the study: the questions and tasks of a set, a prompt, and what was answered. */
export function readRun(set: QuestionSet, arm: Arm): Reading {
  const file = `questions-${set}.json`
  return {
    questions: parseQuestions(readText(file), file),
    tasks: readJson(`tasks-${set}.json`),
    answers: readJson(`answers/${set}-${arm}.json`),
    prompt: readText(`prompts/${set}-${arm}.txt`),
    links: readJson(`prompts/${set}-${arm}.links.json`),
  }
}

/** Grades an answer or a text by rule, then by the verdicts of the study's judge. */
export function createGrader(): (asked: Question | Task, answer: string, links: readonly string[]) => Grade {
  const verdicts = readJson<Readonly<Record<string, boolean>>>('verdicts.json')
  const judged = new Map(
    readJson<readonly { n: number; question: string; given: string }[]>('judge.json').map(
      ({ n, question, given }) => [JSON.stringify([question, given]), verdicts[n]],
    ),
  )
  return (asked, answer, links) => {
    const grade = 'task' in asked ? gradeTask(asked, answer, links) : gradeQuestion(asked, answer, links)
    if (grade !== undefined) return { by: 'rule', isRight: grade === 'right' }
    const isRight = judged.get(JSON.stringify(['task' in asked ? asked.task : asked.question, answer]))
    return isRight === undefined ? undefined : { by: 'judge', isRight }
  }
}

/** Grades one answer by rule. Ids of questions for addresses end in `-link`, of those for code in `-code`. */
export function gradeQuestion(
  question: Question,
  answer: string,
  links: readonly string[],
): 'right' | 'wrong' | undefined {
  const forms = [question.answer, ...question.accept]
  if (question.id.endsWith('-link')) return gradeAddress(forms, resolveLinks(answer, links))
  if (!question.id.endsWith('-code')) return gradeByRule(question, answer)
  return forms.map(foldCode).includes(foldCode(answer)) ? 'right' : undefined
}

function gradeTask(
  { has, links: wanted }: Task,
  text: string,
  links: readonly string[],
): 'right' | undefined {
  const named = listAddresses(resolveLinks(text, links))
  return has.every((code) => text.includes(code)) && wanted.every((one) => named.includes(one))
    ? 'right'
    : undefined
}

/** Right if the answer names one of the addresses and no other, wrong if it names others only. */
function gradeAddress(forms: readonly string[], answer: string): 'right' | 'wrong' | undefined {
  if (forms.includes(answer.trim().replaceAll(/^[`<]+|[`>.]+$/g, ''))) return 'right'
  const named = listAddresses(answer)
  if (named.length === 0) return undefined
  const found = named.filter((one) => forms.includes(one))
  return found.length === named.length ? 'right' : found.length === 0 ? 'wrong' : undefined
}

/** Targets of the links of a text, otherwise the words in it that look like an address. */
function listAddresses(text: string): readonly string[] {
  const targets = [...text.matchAll(/\]\((?:<([^>\n]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))/g)].map(
    ([, inAngles, plain]) => (inAngles ?? plain!).replaceAll(/\\(?=[!-/:-@[-`{-~])/g, ''),
  )
  if (targets.length > 0) return targets
  return text
    .split(/[\s<>`"]+/)
    .map((word) => word.replace(/[.,;:]$/, ''))
    .filter((word) => /[/#]|^\w+:/.test(word))
}

/** Code without a fence, quotes of code and a prompt, with runs of white space as one blank. */
function foldCode(text: string): string {
  const code =
    /^\s*(`{3,})[^\n]*\n([^]*?)\n\s*\1\s*$/.exec(text)?.[2] ?? text.trim().replace(/^`(.*)`$/s, '$1')
  return code.trim().replace(/^\$ /, '').replaceAll(/\s+/g, ' ')
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
