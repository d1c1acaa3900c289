export { EvalError, exitOfCode, type EvalErrorCode } from './eval-error.ts'
export { configure, run } from './command/eval-command.ts'
export type * from './types.ts'
export { gradeByRule } from './grading/grade-by-rule.ts'
export { parseQuestions } from './questions/read-questions.ts'
export {
  comparePairs,
  decideSchemes,
  type GradedPair,
  leastQuestions,
  type Pair,
  power,
  type SchemePairs,
} from './statistics/compare-pairs.ts'
