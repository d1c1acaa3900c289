import { openDocument, type Evaluation } from '@packs/catalog'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { errorCode } from '../error-code.ts'
import { makeEvaluation } from '../make-evaluation.ts'
import { makeVersion } from '../make-version.ts'
import { actor } from '../test-actor.ts'

const sound = makeEvaluation()

export function describeEvaluations(context: CatalogContext): void {
  describe('EvaluationStore.add', () => {
    const version = makeVersion({ slug: 'tls', compression: 'glossary-1' })
    const add = (evaluation: Evaluation, slug = 'tls', number = '1.0.0') =>
      context.catalog.evaluations.add(slug, number, evaluation, actor)

    beforeEach(async () => {
      await context.catalog.packs.commit([version])
    })

    it('attaches figures that every reader of the version gets, and leaves the document as it was', async () => {
      const { packs } = context.catalog
      const before = await packs.latest('tls')
      expect(before).not.toHaveProperty('evaluations')
      expect((await packs.versions('tls'))[0]).not.toHaveProperty('evaluations')
      expect(await add(sound)).toEqual({ isNew: true, evaluations: [sound] })

      const after = await packs.latest('tls')
      expect(after!.document).toEqual(before!.document)
      expect(openDocument(after!)).toEqual(version.pack)
      expect((await packs.find('tls', '1.0.0'))!.evaluations).toEqual([sound])
      expect((await packs.list({ limit: 9, offset: 0 })).packs).toMatchObject([{ evaluations: [sound] }])
      expect(await packs.versions('tls')).toMatchObject([{ evaluations: [sound] }])
      expect((await packs.head('tls'))!.version).toBe('1.0.0')
      expect((await packs.audit('tls', '1.0.0'))!.damaged).toEqual([])
    })

    it('is a change of the pack, also of a version that is not its latest', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'tls', version: '1.1.0', parent: '1.0.0' })])
      await add(sound)
      expect(await context.catalog.sequence()).toBe(3)
      const { changes } = await packs.changes({ after: 2, removals: true, limit: 9, maxBytes: 1e6 })
      expect(changes).toMatchObject([{ sequence: 3, version: { version: '1.1.0' } }])
      expect(await packs.latest('tls')).not.toHaveProperty('evaluations')
    })

    it('changes nothing the second time', async () => {
      await add(sound)
      expect(await add(makeEvaluation())).toEqual({ isNew: false, evaluations: [sound] })
      expect(await context.catalog.sequence()).toBe(2)
      expect(await context.catalog.audit.list({ action: 'version.evaluated', limit: 9 })).toHaveLength(1)
    })

    it('replaces an earlier evaluation with the same model', async () => {
      const other = makeEvaluation({ model: 'haiku' })
      const later = makeEvaluation({ date: '2026-12-01T10:00:00.000Z', questions: 400 })
      await add(sound)
      await add(other)
      expect(await add(later)).toEqual({ isNew: true, evaluations: [other, later] })
      expect((await context.catalog.packs.find('tls'))!.evaluations).toEqual([other, later])
    })

    it('keeps both of two that are attached at the same time', async () => {
      await Promise.all([add(sound), add(makeEvaluation({ model: 'haiku' }))])
      const models = (await context.catalog.packs.find('tls'))!.evaluations!.map(({ model }) => model)
      expect(models.toSorted()).toEqual(['gpt-5-mini', 'haiku'])
    })

    it('refuses a ninth model, and still replaces one of eight', async () => {
      for (let model = 1; model <= 8; model++) await add(makeEvaluation({ model: `m${model}` }))
      expect(await errorCode(add(sound))).toBe('too_many_evaluations')
      await add(makeEvaluation({ model: 'm3', documents: 3 }))
      expect((await context.catalog.packs.find('tls'))!.evaluations).toHaveLength(8)
    })

    it('records who attached it, with model and verdict', async () => {
      await add(sound)
      expect(await context.catalog.audit.list({ action: 'version.evaluated', limit: 9 })).toMatchObject([
        { actor, target: 'tls@1.0.0', details: { model: 'gpt-5-mini', verdict: 'as good' } },
      ])
    })

    it('is kept when the version is yanked and shown again', async () => {
      const { packs } = context.catalog
      await add(sound)
      await packs.yank('tls', '1.0.0', 'wrong', actor)
      expect((await packs.find('tls', '1.0.0'))!.evaluations).toEqual([sound])
      await packs.undoYank('tls', '1.0.0', actor)
      expect((await packs.find('tls'))!.evaluations).toEqual([sound])
    })

    it.each<[string, Partial<Record<keyof Evaluation, unknown>>]>([
      ['without a name', { model: ' ' }],
      ['with 101 characters', { model: 'm'.repeat(101) }],
      ['with a control character', { model: 'gpt\u0007' }],
      ['with a NUL', { model: 'gpt\0' }],
      ['with a line separator', { model: 'gpt\u2028' }],
      ['that changes the direction', { model: 'gpt\u202Ee' }],
      ['with a lone surrogate', { model: 'gpt\uD800' }],
      ['of no day', { date: 'yesterday' }],
      ['of another scheme', { scheme: 'dense-1' }],
      ['of no scheme', { scheme: 'none' }],
      ['with NaN', { difference: Number.NaN }],
      ['with NaN as text', { difference: 'NaN' }],
      ['with an infinite interval', { interval: [-Infinity, 1] }],
      ['with a huge number of questions', { questions: 1e300 }],
      ['without questions', { questions: 0 }],
      ['with a part of a document', { documents: 1.5 }],
      ['with a difference beyond its interval', { difference: 0.5 }],
      ['with half an interval', { interval: [-0.1] }],
      ['without a margin', { margin: 0 }],
      ['with another verdict', { verdict: 'excellent' }],
      ['that calls as good what may be worse', { interval: [-0.06, 0.012] }],
      ['that calls worse what may be as good', { verdict: 'worse' }],
    ])('refuses an evaluation %s', async (_, wrong) => {
      expect(await errorCode(add({ ...sound, ...wrong } as Evaluation))).toBe('invalid_evaluation')
      expect(await context.catalog.sequence()).toBe(1)
    })

    it('takes any visible characters for the model, and no other fields', async () => {
      const model = '<b>モデル</b> "7b" \' & Ω'
      const { evaluations } = await add({ ...makeEvaluation({ model }), extra: 1 } as Evaluation)
      expect(evaluations).toEqual([makeEvaluation({ model })])
      expect((await context.catalog.packs.find('tls'))!.evaluations).toEqual([makeEvaluation({ model })])
    })

    it('refuses names that it does not have', async () => {
      expect(await errorCode(add(sound, 'ssl'))).toBe('unknown_pack')
      expect(await errorCode(add(sound, 'tls', '9.0.0'))).toBe('unknown_version')
    })

    it.each(['no json', '[]', '{}', '[{"model":"x"}]', `[${JSON.stringify({ ...sound, difference: 9 })}]`])(
      'takes the stored text %j for damage',
      async (text) => {
        await sql`update versions set evaluations = ${text}`.execute(context.catalog.database.db)
        expect(await errorCode(context.catalog.packs.latest('tls'))).toBe('catalog_damaged')
        expect(await errorCode(add(sound))).toBe('catalog_damaged')
        const list = await context.catalog.packs.list({ limit: 9, offset: 0 })
        expect(list).toMatchObject({ packs: [], damaged: [{ slug: 'tls', version: '1.0.0' }] })
        expect((await context.catalog.packs.audit('tls', '1.0.0'))!.damaged).toEqual(['versions.evaluations'])
      },
    )

    it('finds in an audit that one is of another scheme', async () => {
      const text = JSON.stringify([makeEvaluation({ scheme: 'max-1' })])
      await sql`update versions set evaluations = ${text}`.execute(context.catalog.database.db)
      expect((await context.catalog.packs.audit('tls', '1.0.0'))!.damaged).toEqual(['versions.evaluations'])
    })
  })
}
