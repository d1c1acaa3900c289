import { readFileSync } from 'node:fs'
import { decode } from '@packs/codec'
import { gradeByRule } from '@packs/eval'
import { describe, expect, it } from 'vitest'
import { gradeStudy, type ReadingResults } from '../reading.ts'
import { ARMS, boundLoss, createGrader, readRun } from '../reading/grade-answers.ts'

const saved = readFileSync('bench/results/reading.json', 'utf8')

it('gives the saved results from the saved answers', async () => {
  expect(JSON.parse(saved)).toEqual(await gradeStudy())
})

it('is told with the same figures by the page of the study', () => {
  const page = readFileSync('bench/reading/README.md', 'utf8').replaceAll(/ +/g, ' ')
  for (const { arm, byRule, byJudge, wrong } of (JSON.parse(saved) as ReadingResults).arms)
    expect(page).toContain(`| ${arm} | ${byRule + byJudge} | ${byRule} | ${byJudge} | ${wrong} |`)
})

describe.each(['a', 'b'] as const)('set %s', (set) => {
  const { questions } = readRun(set, 'src')

  it('has ten questions about each document, with evidence that is in it word for word', () => {
    expect(Object.values(Object.groupBy(questions, ({ doc }) => doc)).map((list) => list!.length)).toEqual(
      Array.from({ length: 6 }, () => 10),
    )
    const missing = questions.filter(({ doc, evidence }) => {
      const text = readFileSync(`bench/reading/docs/${doc}.md`, 'utf8')
      return evidence.length === 0 || !evidence.every((passage) => text.includes(passage))
    })
    expect(missing).toEqual([])
  })

  it.each(['g1', 'd1', 'm1'])('has a prompt %s that decodes to its documents', (arm) => {
    const prompt = readFileSync(`bench/reading/prompts/${set}-${arm}.txt`, 'utf8')
    const plain = decode(
      prompt.slice(prompt.indexOf('\n', prompt.indexOf('[DECODE]')) + 1),
      prompt.split('\n')[1]!,
    )
    for (const doc of new Set(questions.map((question) => question.doc)))
      expect(plain).toContain(readFileSync(`bench/reading/docs/${doc}.md`, 'utf8').trim())
  })
})

it('grades only what it can decide, and wrong answers as wrong', () => {
  const question = readRun('a', 'src').questions.find(({ id }) => id === 'a1-04')!
  const grade = createGrader()
  expect(grade(question, '**275 Pell.**')).toEqual({ by: 'rule', isRight: true })
  expect(grade(question, '257 pell')).toEqual({ by: 'rule', isRight: false })
  expect(grade(question, 'about 275 pell, as agreed')).toBeUndefined()
})

it('has no rule that contradicts the judge', () => {
  const verdicts = readJudge<Record<string, boolean>>('verdicts.json')
  const questions = (['a', 'b'] as const).flatMap((set) => readRun(set, 'src').questions)
  const judged = readJudge<{ n: number; question: string; given: string }[]>('judge.json')
  const contradictions = judged.filter(({ n, question, given }) => {
    const grade = gradeByRule(
      questions.find((one) => one.question === question)!,
      given,
    )
    return grade !== undefined && (grade === 'right') !== verdicts[n]
  })
  expect(judged).toHaveLength(54)
  expect(contradictions).toEqual([])
})

it('decides more by rules than by the judge', () => {
  const grade = createGrader()
  const grades = (['a', 'b'] as const).flatMap((set) =>
    ARMS.flatMap((arm) => {
      const { questions, answers } = readRun(set, arm)
      return questions.map((one) => grade(one, answers[one.id]!)?.by)
    }),
  )
  expect(grades.filter((by) => by === 'rule')).toHaveLength(517)
  expect(grades.filter((by) => by === 'judge')).toHaveLength(83)
})

function readJudge<Value>(path: string): Value {
  return JSON.parse(readFileSync(`bench/reading/${path}`, 'utf8')) as Value
}

it('bounds the loss that a study without a loss can have missed', () => {
  // 0.05 = (1 − p)^59: the rule by which 59 items without a fault show less than 5 %.
  expect(boundLoss(59, 0.95)).toBeCloseTo(0.0495, 4)
})
