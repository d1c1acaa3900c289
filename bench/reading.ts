// `pnpm bench:reading`: grades the answers of the study in bench/reading again, and recounts its prompts. Saved as
// bench/results/reading.json.
import { listTerms, parseRosetta } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/compress'
import { round } from './measure.ts'
import { ARMS, type Arm, boundLoss, createGrader, gradeQuestion, readRun } from './reading/grade-answers.ts'
import { saveResults } from './results.ts'

export interface ReadingResults {
  /** Percent that no question more can have got worse, at 95 %: for one prompt, and for all three. */
  readonly bounds: readonly [number, number]
  readonly arms: readonly {
    readonly arm: string
    readonly tokens: readonly number[]
    readonly savedPercent: number
    readonly terms: readonly number[]
    readonly byRule: number
    readonly byJudge: number
    /** Ids of questions and of tasks that were not answered right. */
    readonly wrong: readonly string[]
    readonly wrongTasks: readonly string[]
    /** Questions for addresses that were answered right: with links resolved, and as written. */
    readonly addresses: readonly [resolved: number, asWritten: number]
    /** Questions for code that were answered right. */
    readonly code: number
    /** Answers and writing tasks that have a term. */
    readonly withTerm: number
  }[]
}

if (import.meta.main) await saveResults('reading', await gradeStudy())

/** Grades all answers, and counts the prompts. */
export async function gradeStudy(): Promise<ReadingResults> {
  const tokenizer = await loadTokenizer('o200k_base')
  const grade = createGrader()
  const sources = count(['a', 'b'].map((set) => tokenizer.countTokens(readRun(set as 'a', 'src').prompt)))
  const arms = Object.entries(ARMS).map(([arm, name]) => {
    const runs = (['a', 'b'] as const).map((set) => {
      const run = readRun(set, arm as Arm)
      const header = parseRosetta(/^\[DECODE\].*$/m.exec(run.prompt)?.[0] ?? '[DECODE]')
      return { ...run, header, tokens: tokenizer.countTokens(run.prompt) }
    })
    const answered = runs.flatMap(({ questions, answers, links }) =>
      questions.map((asked) => ({ asked, answer: answers[asked.id] ?? '', links })),
    )
    const graded = answered.map((one) => ({ ...one, grade: grade(one.asked, one.answer, one.links) }))
    const right = graded.filter((one) => one.grade?.isRight === true)
    const tokens = runs.map((run) => run.tokens)
    const ofKind = (kind: string): number => right.filter(({ asked }) => asked.id.endsWith(kind)).length
    return {
      arm: name,
      tokens,
      savedPercent: round(100 * (1 - count(tokens) / sources)),
      terms: runs.map(({ header }) => header.entries.length),
      byRule: right.filter((one) => one.grade!.by === 'rule').length,
      byJudge: right.filter((one) => one.grade!.by === 'judge').length,
      wrong: graded.filter((one) => !right.includes(one)).map(({ asked }) => asked.id),
      wrongTasks: runs.flatMap(({ tasks, answers, links }) =>
        tasks
          .filter((task) => grade(task, answers[task.id] ?? '', links)?.isRight !== true)
          .map(({ id }) => id),
      ),
      addresses: [
        ofKind('-link'),
        answered.filter(
          ({ asked, answer }) => asked.id.endsWith('-link') && gradeQuestion(asked, answer, []) === 'right',
        ).length,
      ] as const,
      code: ofKind('-code'),
      withTerm: count(
        runs.map(
          ({ answers, header }) =>
            Object.values(answers).filter((text) => listTerms(text, header).length > 0).length,
        ),
      ),
    }
  })
  return { bounds: [round(100 * boundLoss(120, 0.95)), round(100 * boundLoss(120, 1 - 0.05 / 3))], arms }
}

function count(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
