import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../audit/create-audit-store.ts'
import { recordAudit } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import type { Database } from '../database/dialect.ts'
import type { Evaluation } from '../types.ts'
import { changeCatalog } from './change-catalog.ts'
import { evaluationSchema, MAX_EVALUATIONS } from './evaluation.ts'
import { updatePackRow } from './pack-row.ts'
import { readSummary } from './version-row.ts'
import { requireVersion } from './yank-version.ts'

/**
 * Attaches what an evaluation found to a version, as its publisher reports it, in place of an
 * earlier evaluation with the same model. It is a change of the pack, so that downloads and caches
 * get it. Attached again, nothing changes.
 *
 * @throws CatalogError `unknown_pack`, `unknown_version`, `invalid_evaluation`,
 *   `too_many_evaluations`, `catalog_damaged`
 */
export async function addEvaluation(
  database: Database,
  slug: string,
  version: string,
  evaluation: Evaluation,
  actor: Actor,
): Promise<{ readonly isNew: boolean; readonly evaluations: readonly Evaluation[] }> {
  const { data: given, error } = evaluationSchema.safeParse(evaluation)
  if (error) throw invalidError(`${error.issues[0]!.path.join('.')} ${error.issues[0]!.message}`)
  const { model, scheme, verdict } = given
  return changeCatalog(database, async (transaction, advance) => {
    const { pack, row } = await requireVersion(transaction, slug, version)
    const { compression, evaluations: before = [] } = readSummary({ ...row, slug: pack.slug }, pack)
    if (compression !== scheme) throw invalidError(`it is of ${scheme}, and the version is ${compression}`)
    if (before.some((one) => isDeepStrictEqual(one, given))) return { isNew: false, evaluations: before }
    const others = before.filter((one) => one.model !== model)
    if (others.length >= MAX_EVALUATIONS)
      throw new CatalogError(
        'too_many_evaluations',
        `${slug}@${version} has evaluations with ${MAX_EVALUATIONS} models, which is the most`,
        'Publish a new version, and attach the evaluation to that one.',
      )
    const evaluations = [...others, given]
    await transaction
      .updateTable('versions')
      .set({ evaluations: JSON.stringify(evaluations) })
      .where('sequence', '=', row.sequence)
      .execute()
    await updatePackRow(transaction, database.dialect, pack, advance())
    await recordAudit(transaction, {
      at: database.now(),
      action: 'version.evaluated',
      actor,
      target: `${pack.slug}@${version}`,
      details: { model, verdict },
    })
    return { isNew: true, evaluations }
  })
}

function invalidError(problem: string): CatalogError {
  const hint = 'Attach what `pack eval` found for the scheme of this version.'
  return new CatalogError('invalid_evaluation', `The evaluation is invalid: ${problem}`, hint)
}
