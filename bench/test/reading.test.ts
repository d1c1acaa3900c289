import { readFileSync } from 'node:fs'
import { decode, resolveLinks } from '@packs/codec'
import type { Question } from '@packs/eval'
import { describe, expect, it } from 'vitest'
import { gradeStudy, type ReadingResults } from '../reading.ts'
import { ARMS, type Arm, boundLoss, createGrader, gradeQuestion, readRun } from '../reading/grade-answers.ts'

const saved = readFileSync('bench/results/reading.json', 'utf8')

it('gives the saved results from the saved answers', async () => {
  expect(JSON.parse(saved)).toEqual(await gradeStudy())
})

it('is told with the same figures by the page of the study', () => {
  const page = readFileSync('bench/reading/README.md', 'utf8').replaceAll(/ +/g, ' ')
  for (const { arm, byRule, byJudge, wrong, addresses, code, wrongTasks } of (
    JSON.parse(saved) as ReadingResults
  ).arms)
    expect(page).toContain(
      `| ${arm} | ${byRule + byJudge} | ${byRule} | ${byJudge} | ${wrong.length} | ${addresses.join(' | ')} | ${code} | ${20 - wrongTasks.length} |`,
    )
})

describe.each(['a', 'b'] as const)('set %s', (set) => {
  const { questions, tasks } = readRun(set, 'src')

  it('has ten questions about each document, with evidence that is in it word for word', () => {
    expect(Object.values(Object.groupBy(questions, ({ doc }) => doc)).map((list) => list!.length)).toEqual(
      Array.from({ length: 6 }, () => 10),
    )
    expect(questions.filter(({ id }) => id.endsWith('-link'))).toHaveLength(15)
    const missing = questions.filter(({ doc, evidence }) => {
      const text = readFileSync(`bench/reading/docs/${doc}.md`, 'utf8')
      return evidence.length === 0 || !evidence.every((passage) => text.includes(passage))
    })
    expect(missing).toEqual([])
  })

  it.each(Object.keys(ARMS) as Arm[])(
    'has a prompt %s with all code and addresses that are asked for',
    (arm) => {
      const { prompt, links } = readRun(set, arm)
      const header = /^\[DECODE\].*$/m.exec(prompt)?.[0] ?? '[DECODE]'
      const text = resolveLinks(decode(prompt.replace(header, ''), header), links).replaceAll(/\s+/g, ' ')
      const asked = questions.filter(({ id }) => /-(?:link|code)$/.test(id))
      expect(asked.filter(({ answer }) => !text.includes(answer))).toEqual([])
    },
  )

  it('has ten writing tasks, of which one has no code to copy', () => {
    expect(tasks.map(({ id }) => id)).toEqual(
      Array.from({ length: 10 }, (_, at) => `${set}-task-${String(at + 1).padStart(2, '0')}`),
    )
    expect(tasks.filter(({ has }) => has.length === 0)).toHaveLength(1)
  })
})

const address: Question = {
  id: 'x-01-link',
  doc: 'x',
  kind: 'identifier',
  question: 'Where?',
  answer: '/a/b#c',
  accept: [],
  evidence: ['/a/b#c'],
}

it.each([
  ['[the page](2)', 'right'],
  ['The answer is on [the page](2).', 'right'],
  ['`/a/b#c`', 'right'],
  ['It is at /a/b#c.', 'right'],
  ['[the page](1)', 'wrong'],
  ['[the page](/a/b)', 'wrong'],
  ['[one](1) or [two](2)', undefined],
  ['2', undefined],
])('grades %j, an answer with an address, as %s', (answer, grade) => {
  expect(gradeQuestion(address, answer, ['https://x.example/', '/a/b#c'])).toBe(grade)
})

it('grades code by all its signs but white space at line ends and around it', () => {
  const code = { ...address, id: 'x-02-code', answer: 'pull --to "a b" -n 2' }
  for (const answer of [
    '`pull --to "a b" -n 2`',
    '```bash\n$ pull --to "a b" -n 2\n```',
    'pull --to "a b" -n 2\n',
  ])
    expect(gradeQuestion(code, answer, [])).toBe('right')
  for (const answer of ['pull --to "a b" -n 3', 'pull --to “a b” -n 2', 'Run pull --to "a b" -n 2'])
    expect(gradeQuestion(code, answer, [])).toBeUndefined()
})

it('decides more by rules than by the judge', () => {
  const { arms } = JSON.parse(saved) as ReadingResults
  for (const { byRule, byJudge } of arms) expect(byRule).toBeGreaterThan(byJudge)
})

it('has no rule that contradicts the judge', () => {
  const verdicts = readJudge<Record<string, boolean>>('verdicts.json')
  const judged = readJudge<{ n: number; question: string; given: string }[]>('judge.json')
  const asked = (['a', 'b'] as const).flatMap((set) => readRun(set, 'src').questions)
  const contradictions = judged.filter(({ n, question, given }) => {
    const one = asked.find((candidate) => candidate.question === question)
    // What a number stands for depends on the prompt.
    const grade = one && !one.id.endsWith('-link') ? gradeQuestion(one, given, []) : undefined
    return grade !== undefined && (grade === 'right') !== verdicts[n]
  })
  expect(contradictions).toEqual([])
  expect(Object.keys(verdicts)).toHaveLength(judged.length)
})

function readJudge<Value>(path: string): Value {
  return JSON.parse(readFileSync(`bench/reading/${path}`, 'utf8')) as Value
}

it('bounds the loss that a study without a loss can have missed', () => {
  // 0.05 = (1 − p)^59: the rule by which 59 items without a fault show less than 5 %.
  expect(boundLoss(59, 0.95)).toBeCloseTo(0.0495, 4)
})

it('knows no verdict of an answer that nobody judged', () => {
  expect(createGrader()({ ...address, question: 'Whence?' }, 'somewhere', [])).toBeUndefined()
})
