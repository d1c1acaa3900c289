// `pnpm bench:reading`: grades the answers of the study in bench/reading again, and recounts its prompts. Saved as
// bench/results/reading.json.
import { readFileSync } from 'node:fs'
import { decode, listTerms, parseRosetta } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/compress'
import { round } from './measure.ts'
import {
  ARMS,
  type Arm,
  boundLoss,
  createGrader,
  type QuestionSet,
  readRun,
} from './reading/grade-answers.ts'
import { saveResults } from './results.ts'

export interface ReadingResults {
  /** Percent that no question more can have got worse, at 95 %: for one prompt, and for all four. */
  readonly bounds: readonly [number, number]
  readonly arms: readonly {
    readonly arm: string
    readonly tokens: readonly number[]
    readonly savedPercent: number
    readonly terms: readonly number[]
    readonly byRule: number
    readonly byJudge: number
    readonly wrong: number
    /** Answers and writing tasks that have a term. */
    readonly withTerm: number
    /** Writing tasks that `decode` would change with the header of the prompt. */
    readonly changed: number
  }[]
}

const SETS: readonly QuestionSet[] = ['a', 'b']
const NAMES: Readonly<Record<Arm, string>> = {
  src: 'sources',
  g1: 'glossary-1',
  d1: 'dense-1',
  m1: 'max-1',
  d1p: 'dense-1, told to write plain words',
}

if (import.meta.main) await saveResults('reading', await gradeStudy())

/** Grades all answers, and counts the prompts. */
export async function gradeStudy(): Promise<ReadingResults> {
  const tokenizer = await loadTokenizer('o200k_base')
  const grade = createGrader()
  const sources = SETS.map((set) => tokenizer.countTokens(readPrompt(set, 'src')))
  const arms = ARMS.map((arm) => {
    const runs = SETS.map((set) => {
      // `d1p` is the prompt of `d1` with one sentence more.
      const text = readPrompt(set, arm === 'd1p' ? 'd1' : arm)
      const header = parseRosetta(arm === 'src' ? '[DECODE]' : text.split('\n')[1]!)
      return { ...readRun(set, arm), header, tokens: tokenizer.countTokens(text) }
    })
    const grades = runs.flatMap(({ questions, answers }) =>
      questions.map((one) => grade(one, answers[one.id] ?? '')),
    )
    const texts = (
      pick: (id: string) => boolean,
      test: (text: string, header: (typeof runs)[0]['header']) => boolean,
    ) =>
      runs.flatMap(({ answers, header }) =>
        Object.entries(answers).filter(([id, text]) => pick(id) && test(text, header)),
      ).length
    const tokens = runs.map((run) => run.tokens)
    const right = (by: string): number => grades.filter((one) => one?.by === by && one.isRight).length
    return {
      arm: NAMES[arm],
      tokens,
      savedPercent: round(100 * (1 - sum(tokens) / sum(sources))),
      terms: runs.map(({ header }) => header.entries.length),
      byRule: right('rule'),
      byJudge: right('judge'),
      wrong: grades.length - right('rule') - right('judge'),
      withTerm: texts(
        () => true,
        (text, header) => listTerms(text, header).length > 0,
      ),
      changed: texts(
        (id) => id.includes('task'),
        (text, header) => decode(text, header) !== text,
      ),
    }
  })
  return { bounds: [round(100 * boundLoss(120, 0.95)), round(100 * boundLoss(120, 1 - 0.05 / 4))], arms }
}

function readPrompt(set: QuestionSet, arm: Exclude<Arm, 'd1p'>): string {
  return readFileSync(new URL(`reading/prompts/${set}-${arm}.txt`, import.meta.url), 'utf8')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
