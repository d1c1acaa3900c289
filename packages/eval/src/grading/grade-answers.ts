import type { AskedModel, CallOptions } from '../calls/ask-model.ts'
import type { Call } from '../calls/call-store.ts'
import type { CallRunner } from '../calls/run-calls.ts'
import { gradeByRule } from './grade-by-rule.ts'
import { controlAnswers, decideJudged, judgePrompt, readVerdict } from './judge.ts'
import type { EvalResult, Graded, Question } from '../types.ts'

/** An answer to grade. */
export interface GivenAnswer {
  readonly question: Question
  readonly text: string
}

/** The model that judges, and the options of its calls. */
export interface Judge {
  readonly model: AskedModel
  readonly options: CallOptions
  readonly isReader: boolean
}

/**
 * Grades answers: by rule where one is certain, else by a judge, which is asked twice about each
 * distinct answer to a question, and about known wrong answers that show whether it can be trusted.
 *
 * @returns the grades in the order of the answers; the judge is null if no answer needed one
 * @throws EvalError those of the runner
 */
export async function gradeAnswers(
  answers: readonly GivenAnswer[],
  judge: Judge,
  runner: CallRunner,
): Promise<{ readonly grades: readonly Graded[]; readonly judge: EvalResult['judge'] }> {
  const nameAnswer = ({ question, text }: GivenAnswer): string => JSON.stringify([question.id, text])
  const grades = new Map<string, Graded>()
  const open = new Map<string, GivenAnswer>()
  for (const answer of answers) {
    const grade = gradeByRule(answer.question, answer.text)
    const key = nameAnswer(answer)
    if (grade === undefined) open.set(key, answer)
    else grades.set(key, { grade, by: 'rule' })
  }
  const finish = (): readonly Graded[] => answers.map((answer) => grades.get(nameAnswer(answer))!)
  if (open.size === 0) return { grades: finish(), judge: null }

  const ask = (question: Question, text: string, replicate: number): Call => ({
    prompt: judgePrompt(question, text),
    model: judge.model,
    options: judge.options,
    replicate,
  })
  const questions = [...new Set(answers.map(({ question }) => question))]
  const controls = controlAnswers(questions).map(({ question, wrongAnswer }) => ask(question, wrongAnswer, 0))
  const judged = [...open].flatMap(([, { question, text }]) => [
    ask(question, text, 0),
    ask(question, text, 1),
  ])
  const replies = (await runner.run([...controls, ...judged])).map(({ text }) => readVerdict(text))
  const accepted = replies.slice(0, controls.length).filter((verdict) => verdict === 'right').length
  for (const [at, key] of [...open.keys()].entries()) {
    const [first, second] = replies.slice(controls.length + 2 * at)
    grades.set(key, { grade: decideJudged(first, second), by: 'judge' })
  }
  return {
    grades: finish(),
    judge: {
      model: judge.model.name,
      is_reader: judge.isReader,
      controls: { asked: controls.length, accepted },
    },
  }
}
