import { z } from 'zod'
import type { VersionTable } from '../database/schema.ts'
import type { Evaluation } from '../types.ts'

/** Most evaluations of a version. */
export const MAX_EVALUATIONS = 8

const share = z.number().min(-1).max(1)
const count = z.int().min(1).max(1_000_000)

/** The figures of an evaluation, bounded, and a verdict that its interval does not contradict. */
export const evaluationSchema: z.ZodType<Evaluation> = z
  .object({
    model: z
      .string()
      .refine((text) => /^(?=.*\S)[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u.test(text), {
        error: 'must have 1 to 100 characters, all of them visible',
      })
      .describe('The model that answered, as the publisher named it'),
    date: z.iso.datetime({ precision: 3 }).describe('When its last answer came, RFC 3339, UTC'),
    scheme: z.enum(['glossary-1', 'dense-1', 'max-1']).describe('Scheme of the prompts, that of the version'),
    questions: count.describe('Questions that count, over all documents'),
    documents: count.describe('Documents that the questions are about'),
    difference: share.describe('Share of right answers from the packs, less that from the sources'),
    interval: z.array(share).length(2).describe('95 % interval of the difference: its lower and upper end'),
    margin: z.number().gt(0).max(100).describe('Percentage points that `as good` may lose at most'),
    verdict: z
      .enum(['as good', 'worse', 'too few questions'])
      .describe('`as good`: the interval is above the margin below 0; `worse`: it is below 0'),
  })
  .refine(({ difference, interval: [low = 1, high = -1] }) => low <= difference && difference <= high, {
    error: 'must contain the difference',
    path: ['interval'],
  })
  .refine(
    ({ verdict, margin, interval: [low = 1, high = -1] }) =>
      verdict === 'as good' ? low > -margin / 100 : verdict === 'too few questions' || high < 0,
    { error: 'is not what the interval says', path: ['verdict'] },
  ) as unknown as z.ZodType<Evaluation>

export const evaluationsSchema: z.ZodType<readonly Evaluation[]> = z
  .array(evaluationSchema)
  .min(1)
  .max(MAX_EVALUATIONS)

/** Returns the evaluations of a row; `undefined` if the column cannot be read. */
export function parseEvaluations({
  evaluations,
}: Pick<VersionTable, 'evaluations'>): readonly Evaluation[] | undefined {
  if (evaluations === null) return []
  try {
    return evaluationsSchema.parse(JSON.parse(evaluations))
  } catch {
    return undefined
  }
}
