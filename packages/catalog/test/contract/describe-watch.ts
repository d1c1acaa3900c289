import { watchCatalog } from '@packs/catalog'
import { describe, expect, it, vi } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { actor } from '../../../test-kit/test/make-version.ts'

const PATIENT = { timeout: 60_000, interval: 20 }

export function describeWatch(context: CatalogContext): void {
  describe('watchCatalog', () => {
    it('shows a switch to every replica, except those that have stopped', async () => {
      const { catalog, database, url } = context
      const replicas = await Promise.all([1, 2, 3].map(async () => watchCatalog(await database.open(url))))
      const stopped = replicas.pop()!
      stopped.stop()
      const modes = (): string[] => replicas.map((watch) => watch.current().mode)
      expect(modes()).toEqual(['online', 'online'])
      for (const mode of ['recovery', 'online', 'recovery'] as const) {
        const switched = await catalog.settings.setMode(mode, { actor })
        await vi.waitFor(() => expect(modes()).toEqual([mode, mode]), PATIENT)
        expect(replicas[0]!.current()).toEqual(switched)
      }
      expect(stopped.current().mode).toBe('online')
      for (const watch of replicas) watch.stop()
    })

    it('keeps the last mode while the database cannot answer', async () => {
      const { catalog, database, url } = context
      let failures = 0
      const state = (): ReturnType<typeof catalog.state> =>
        catalog.state().catch((error: unknown) => {
          failures += 1
          throw error
        })
      await catalog.settings.setMode('recovery', { message: 'Back at ten', actor })
      const watch = await watchCatalog({ state }, { everyMs: 5 })
      await database.run(url, 'alter table settings rename to lost')
      await vi.waitFor(() => expect(failures).toBeGreaterThan(2), PATIENT)
      expect(watch.current()).toMatchObject({ mode: 'recovery', message: 'Back at ten' })
      await database.run(url, 'alter table lost rename to settings')
      await catalog.settings.setMode('online', { actor })
      await vi.waitFor(() => expect(watch.current().mode).toBe('online'), PATIENT)
      watch.stop()
    })
  })
}
