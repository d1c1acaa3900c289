import { composePrompt } from '@packs/codec/compress'
import { expect, it } from 'vitest'
import { startSqliteTests } from '../../../test-kit/test/test-database.ts'
import type { ApiResponse } from '../../../test-kit/test/check-response.ts'
import { makePack } from '../sample-packs.ts'
import { startApi, type TestApi } from '../../../test-kit/test/start-api.ts'

const version = makePack({ slug: 'a', version: '1.0.0' })
const { tokens } = await composePrompt([version.pack])

const database = await startSqliteTests()
const url = await database.createCatalog()
const api = await startApi({ catalog: await database.open(url), versions: [version] })

type Read = (json: NonNullable<ApiResponse['json']>) => unknown

const paths: readonly (readonly [path: string, read: Read])[] = [
  ['/api/v1/packs', (json) => json.data[0]!['prompt_tokens']],
  ['/api/v1/packs/a', (json) => json['prompt_tokens']],
  ['/api/v1/packs/a?include=document', (json) => json['prompt_tokens']],
  ['/api/v1/packs/a/versions', (json) => json.data[0]!['prompt_tokens']],
  ['/api/v1/packs/a/versions/1.0.0', (json) => json['prompt_tokens']],
  ['/api/v1/search?q=back', (json) => (json.data[0]!['pack'] as { prompt_tokens: unknown }).prompt_tokens],
  ['/api/v1/packs/download', (json) => json.data[0]!['prompt_tokens']],
]

it('a preview has the figure of the whole pack', async () => {
  const { json } = await api.request('/api/v1/packs/a', { key: api.free.key })
  expect(json).toMatchObject({ preview: true, prompt_tokens: tokens })
  expect(json).not.toHaveProperty('lead')
})

it('every answer has what the pack costs in a prompt, or null if no prompt can be composed', async () => {
  const readAll = async (from: TestApi): Promise<unknown[]> => {
    const read: unknown[] = []
    for (const [path, find] of paths) read.push(find((await from.request(path, { key: from.pro.key })).json))
    return read
  }
  expect(await readAll(api)).toEqual(paths.map(() => tokens))
  await database.run(url, 'update versions set prompt_tokens = null')
  expect(await readAll(await startApi({ catalog: await database.open(url) }))).toEqual(paths.map(() => null))
})
