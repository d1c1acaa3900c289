import { evaluationSchema, type Actor, type Catalog, type Evaluation } from '@packs/catalog'
import { z } from 'zod'
import { PublishError } from './publish-error.ts'

const number = z.number()
const interval = z.array(number).length(2)
const figures = z.object({ questions: number, documents: number, difference: number, interval }).nullable()
const name = z.string().max(100)
const digest = z.string().regex(/^[0-9a-f]{64}$/)
const outcome = z.object({ scheme: name, verdict: name, figures, undecided_wrong: figures })

/** The parts of a result of `pack eval` that are attached to versions, or say to which. */
const fileSchema = z.object({
  format: z.literal('packs-eval-1'),
  date: z.iso.datetime().max(40),
  model: z.string(),
  margin: number,
  together: z.boolean(),
  packs: z.array(z.object({ slug: name, version: name, pack_digest: digest, questions: number })).max(10_000),
  schemes: z.array(outcome).max(20),
})

/** What an evaluation measured, and what it found. */
export interface EvaluationFile {
  readonly packs: readonly Readonly<Record<'slug' | 'version' | 'pack_digest', string>>[]
  /** By scheme: what can be attached to a version with it, or why nothing can. */
  readonly outcomes: ReadonlyMap<string, Evaluation | string>
}

/**
 * Reads the JSON document that `pack eval --json` printed. Fields that it does not need may have
 * any value.
 *
 * @param name of the file, for messages
 * @throws PublishError `invalid_evaluation_file`, as for one without a verdict
 */
export function parseEvaluationFile(text: string, name: string): EvaluationFile {
  const fail = (problem: string, hint = 'Name a file that `pack eval --json` printed.'): PublishError =>
    new PublishError('invalid_evaluation_file', `${name} ${problem}`, hint)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw fail('is not JSON')
  }
  const { data: file, error } = fileSchema.safeParse(value)
  if (error) throw fail(`is not a result of \`pack eval\`: ${describeIssue(error)}`)
  if (file.together)
    throw fail('measured all packs in one prompt', 'Evaluate without --together: a version is one pack.')
  const packs = file.packs.filter(({ questions }) => questions > 0)
  const outcomes = file.schemes.map((outcome) => {
    const found = readOutcome(file, outcome)
    if (found instanceof z.ZodError) throw fail(`has impossible figures: ${describeIssue(found)}`)
    return [outcome.scheme, found] as const
  })
  if (outcomes.some(([, found]) => typeof found === 'object')) return { packs, outcomes: new Map(outcomes) }
  const reasons = outcomes.map(([scheme, reason]) => `${scheme}: ${reason as string}`).join('; ')
  throw fail(`has no verdict to attach (${reasons || 'no scheme'})`, 'Read its warnings, evaluate again.')
}

/** Returns the evaluation, or why there is none, or an error if its figures are impossible. */
function readOutcome(
  { model, date: time, margin }: z.infer<typeof fileSchema>,
  { scheme, verdict, figures, undecided_wrong: strict }: z.infer<typeof outcome>,
): Evaluation | string | z.ZodError {
  if (figures === null) return `there are no figures (${verdict})`
  if (!['as good', 'worse', 'too few questions'].includes(verdict)) return verdict
  const about = { model, date: new Date(time).toISOString(), scheme, margin, verdict }
  const read = ({ questions, documents, difference, interval }: typeof figures) =>
    evaluationSchema.safeParse({ ...about, questions, documents, difference, interval })
  // Of the two ways to count undecided answers, the one that is worse for the packs.
  const isWorse = strict !== null && strict.interval[0]! < figures.interval[0]!
  const { data, error } = read(isWorse ? strict : figures)
  const depends = error && isWorse && read(figures).success
  return depends ? 'the verdict depends on how undecided answers count' : (data ?? error)
}

function describeIssue({ issues }: z.ZodError): string {
  const { path, message } = issues[0]!
  return `${path.join('.')} ${message}`.trim()
}

/** What became of an evaluation file for a version. */
export interface Attachment {
  /** Whether the file is about this version. */
  readonly isMatch: boolean
  /** What is attached now, or would be. */
  readonly evaluation?: Evaluation
  /** For the publisher, on one line. */
  readonly note: string
}

/**
 * Attaches what an evaluation found to a published version, if the version is among the packs that
 * it measured. Safe to repeat.
 *
 * @param actor null only tells what would be attached
 * @throws CatalogError `too_many_evaluations`, `catalog_damaged`
 */
export async function attachEvaluation(
  { packs, evaluations }: Catalog,
  { packs: measured, outcomes }: EvaluationFile,
  { slug, version }: { readonly slug: string; readonly version: string },
  actor: Actor | null,
): Promise<Attachment> {
  const record = await packs.find(slug, version)
  if (record === undefined)
    return { isMatch: true, note: 'evaluation not compared, because the version is not published yet' }
  const { pack_digest, compression } = record
  if (!measured.some((pack) => pack.pack_digest === pack_digest)) {
    const other = measured.find((pack) => pack.slug === slug)
    const what = other ? `${slug}@${other.version} with another pack_digest` : 'other packs'
    return { isMatch: false, note: `evaluation not attached: it measured ${what}` }
  }
  const found = outcomes.get(compression) ?? `it has nothing about the scheme ${compression}`
  if (typeof found === 'string') return { isMatch: true, note: `evaluation not attached: ${found}` }
  const isNew = actor !== null && (await evaluations.add(slug, version, found, actor)).isNew
  const verb = actor === null ? 'would be' : isNew ? 'is' : 'was already'
  const note = `evaluation with ${found.model} ${verb} attached: ${found.verdict}`
  return { isMatch: true, evaluation: found, note }
}
