import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePack } from '../sample-packs.ts'
import { startApi, type TestApi } from '../start-api.ts'

/** Both have made the same number of changes, as a catalog before it was lost and after it was restored. */
let lost: TestApi
let restored: TestApi
beforeAll(async () => {
  lost = await startApi({ versions: [makePack({ slug: 'lost' }), makePack({ slug: 'kept' })] })
  restored = await startApi({ versions: [makePack({ slug: 'kept' }), makePack({ slug: 'other' })] })
})
afterAll(async () => {
  await lost.close()
  await restored.close()
})

describe('tags of what follows from the whole catalog', () => {
  it.each(['/api/v1/packs', '/api/v1/packs/kept/versions', '/api/v1/packs/download'])(
    'are not known in a catalog whose secret was renewed: %s',
    async (path) => {
      const { etag } = (await lost.ask(path, { key: lost.pro.key })).headers
      const headers = { 'if-none-match': etag! }
      expect((await lost.ask(path, { key: lost.pro.key, headers })).status).toBe(304)
      expect((await restored.ask(path, { key: restored.pro.key, headers })).status).toBe(200)
    },
  )
})
