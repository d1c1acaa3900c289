import type { Catalog } from '@packs/catalog'
import { describeFailure } from '../steps/describe-failure.ts'
import { nameOwner } from './job-owner.ts'

/** Runs work that `pack jobs` shows: under way, done, or failed and why. */
export async function recordJob<T>(
  { jobs }: Catalog,
  { id, slug }: { readonly id: string; readonly slug: string },
  work: () => Promise<T>,
): Promise<T> {
  const attempts = 1 + ((await jobs.get(id))?.attempts ?? 0)
  const job = { id, slug, attempts, error: null, owner: null }
  await jobs.put({ ...job, state: 'active', progress: 0, owner: nameOwner() })
  try {
    const result = await work()
    await jobs.put({ ...job, state: 'completed', progress: 100 })
    return result
  } catch (error) {
    const { code, message } = describeFailure(error)
    await jobs
      .put({ ...job, state: 'failed', progress: 0, error: `${code}: ${message}` })
      .catch(() => undefined)
    throw error
  }
}
