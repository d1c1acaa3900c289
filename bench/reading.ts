// `pnpm bench:reading > bench/results/reading.md`: grades the answers of the study in bench/reading again, and recounts its prompts.
import { readFileSync } from 'node:fs'
import { decode, listTerms, parseRosetta } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/tokens'
import { formatTable } from './markdown-table.ts'
import {
  ARMS,
  type Arm,
  boundLoss,
  createGrader,
  type QuestionSet,
  readRun,
} from './reading/grade-answers.ts'

const SETS: readonly QuestionSet[] = ['a', 'b']
const NAMES: Readonly<Record<Arm, string>> = {
  src: 'sources',
  g1: 'glossary-1',
  d1: 'dense-1',
  m1: 'max-1',
  d1p: 'dense-1, told to write plain words',
}
/** Prompts that have a header; `d1p` is `d1` with one sentence more. */
const PACKED = ['g1', 'd1', 'm1'] as const

const study = new URL('reading/', import.meta.url)
const tokenizer = await loadTokenizer('o200k_base')
const prompts = new Map(
  SETS.flatMap((set) =>
    (['src', ...PACKED] as const).map(
      (arm) => [`${set}-${arm}`, readStudy(`prompts/${set}-${arm}.txt`)] as const,
    ),
  ),
)
const tokens = new Map([...prompts].map(([name, text]) => [name, tokenizer.countTokens(text)]))
const grade = createGrader()

const markdown = `# The reading study, graded again

Written by \`pnpm bench:reading\` from the documents, prompts and answers in [bench/reading](../reading/README.md), which also says what the
study shows and what it does not show.

${formatTable(['prompt', 'tokens, set a', 'set b', 'saved', 'terms, a · b'], (['src', ...PACKED] as const).map(describePrompt))}

${formatTable(
  ['prompt', 'right of 120', 'of these by rule', 'by the judge', 'wrong', 'answers and tasks with a term'],
  ARMS.map(describeAnswers),
)}

${formatTable(['20 writing tasks', ...PACKED.map((arm) => `changed by the header of ${NAMES[arm]}`)], ARMS.map(describeChanges))}

With 120 questions and none that got worse, the loss under one scheme is below ${formatPercent(boundLoss(120, 0.95))} at 95 %, one-sided, and below
${formatPercent(boundLoss(120, 1 - 0.05 / 4))} for all four prompts together.
`
process.stdout.write(markdown)

function describePrompt(arm: 'src' | (typeof PACKED)[number]): string[] {
  const counts = SETS.map((set) => tokens.get(`${set}-${arm}`)!)
  const sources = SETS.map((set) => tokens.get(`${set}-src`)!)
  const isPacked = arm !== 'src'
  return [
    NAMES[arm],
    ...counts.map((count) => count.toLocaleString('en')),
    isPacked ? formatPercent(1 - sum(counts) / sum(sources)) : '',
    isPacked ? SETS.map((set) => readHeader(set, arm).entries.length).join(' · ') : '',
  ]
}

function describeAnswers(arm: Arm): string[] {
  const runs = SETS.map((set) => ({ set, ...readRun(set, arm) }))
  const grades = runs.flatMap(({ questions, answers }) =>
    questions.map((one) => grade(one, answers[one.id] ?? '')),
  )
  const count = (by: string, isRight: boolean): number =>
    grades.filter((one) => one?.by === by && one.isRight === isRight).length
  const right = count('rule', true) + count('judge', true)
  const withTerms = runs.map(({ set, answers }) => {
    if (arm === 'src') return 0
    const header = readHeader(set, arm === 'd1p' ? 'd1' : arm)
    return Object.values(answers).filter((text) => listTerms(text, header).length > 0).length
  })
  return [
    NAMES[arm],
    ...[right, count('rule', true), count('judge', true), grades.length - right].map(String),
    arm === 'src' ? '' : String(sum(withTerms)),
  ]
}

/** Counts the writing tasks that `decode` would change. No answer has a term, so each change is wrong. */
function describeChanges(arm: Arm): string[] {
  const counts = PACKED.map((packed) => {
    if (arm !== 'src' && packed !== arm.slice(0, 2)) return ''
    const changed = SETS.map((set) => {
      const header = readHeader(set, packed)
      const tasks = Object.entries(readRun(set, arm).answers).filter(([id]) => id.includes('task'))
      return tasks.filter(([, text]) => decode(text, header) !== text).length
    })
    return String(sum(changed))
  })
  return [NAMES[arm], ...counts]
}

function readHeader(set: QuestionSet, arm: (typeof PACKED)[number]): ReturnType<typeof parseRosetta> {
  return parseRosetta(prompts.get(`${set}-${arm}`)!.split('\n')[1]!)
}

function readStudy(path: string): string {
  return readFileSync(new URL(path, study), 'utf8')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function formatPercent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
