import { createHash } from 'node:crypto'
import type { Question } from '../src/types.ts'
import type { ChatRequest } from './start-endpoint.ts'

/** What a stand-in for a model does with the questions of an arm, in shares from 0 to 1. */
export interface StandInTruth {
  readonly seed: number
  /** Questions that it answers right from the source. */
  readonly right: number
  /** Questions whose outcome is another than from the source, by what the prompt shows. */
  readonly flips: Readonly<Partial<Record<PromptKind, number>>>
  /** Right answers that are written in a sentence of their own, which only a judge can grade. */
  readonly wordy: number
}

export type PromptKind = 'source' | 'no-document' | 'no-header' | 'minify-1' | 'dense-2' | 'max-2'

const FOREIGN = '[\\u0E00-\\u0E7F\\u3040-\\u30FF\\u3400-\\u9FFF\\uAC00-\\uD7AF]'

/** Recognizes a prompt by what stands in it: terms are letters of other scripts, and in headings under max-2 only. */
export function recognizePrompt(system: string | undefined): PromptKind {
  if (system === undefined) return 'no-document'
  const hasTerms = new RegExp(FOREIGN).test(system)
  if (!system.includes('[DECODE] ')) return hasTerms ? 'no-header' : 'source'
  if (!hasTerms) return 'minify-1'
  const body = system.slice(system.indexOf('\n\n'))
  return new RegExp(`^#+ .*${FOREIGN}`, 'm').test(body) ? 'max-2' : 'dense-2'
}

/** Creates a model that answers with a known truth, and judges what it is asked to judge. */
export function createStandIn(
  questions: readonly Question[],
  { seed, right, flips, wordy }: StandInTruth,
): (request: Pick<ChatRequest, 'system' | 'user'>) => string {
  const draw = (...parts: readonly unknown[]): number =>
    createHash('sha256')
      .update(JSON.stringify([seed, ...parts]))
      .digest()
      .readUInt32BE() /
    2 ** 32
  return ({ system, user }) => {
    if (system?.startsWith('You grade one answer')) return judge(user)
    const question = questions.find((one) => user.endsWith(`Question: ${one.question}`))!
    const kind = recognizePrompt(system)
    const isFlipped = draw('flip', kind, question.id) < (flips[kind] ?? 0)
    const isRight = kind === 'no-document' ? isFlipped : draw('right', question.id) < right !== isFlipped
    if (!isRight) return 'not stated'
    return draw('wordy', kind, question.id) < wordy
      ? `As the text puts it, one would say that ${question.answer}, more or less.`
      : question.answer
  }
}

function judge(user: string): string {
  const { expected_answer, given_answer } = JSON.parse(user) as Record<
    'expected_answer' | 'given_answer',
    string
  >
  return given_answer.includes(expected_answer) ? 'Right.' : 'wrong'
}
