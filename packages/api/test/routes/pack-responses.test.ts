import { createHash } from 'node:crypto'
import { decode } from '@packs/codec'
import { describe, expect, it } from 'vitest'
import type { ApiResponse } from '../../../test-kit/test/check-response.ts'
import { makePack } from '../sample-packs.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'

const BODY = '# Go\n\nA knowledge pack comes back.\n'
const NDJSON = { accept: 'application/x-ndjson' }

const sha256 = createHash('sha256').update(BODY).digest('hex')
const content = BODY.replace('knowledge pack', 'KP')
const api = await startApi({
  versions: [
    makePack(
      {
        slug: 'full',
        description: 'What <b>Go</b> is: “fast”.',
        tags: ['go', 'プログラミング'],
        metadata: { weight: 3, secret_key_of_metadata: ['undisclosed'] },
        front_matter: '---\nsecret_key_of_metadata: [undisclosed]\n---\n',
      },
      { content, sha256, preview_content: '# Go\n' },
    ),
    makePack({ slug: 'old' }),
  ],
})

const paths = '/packs /packs?search=full /packs/full /packs/full/versions /packs/full/versions/1.0.0'.split(
  ' ',
)
const FIELDS = { description: 'What <b>Go</b> is: “fast”.', tags: ['go', 'プログラミング'] }
const NONE = { description: null, tags: [] }

describe.each(['free', 'pro'] as const)('a pack for %s', (tier) => {
  const get = (path: string, headers = {}): Promise<ApiResponse> =>
    api.request(`/api/v1${path}`, { key: api[tier].key, headers })

  it('has its description and tags in lists, alone and by version', async () => {
    const { data } = (await get('/packs')).json
    expect(data).toMatchObject([
      { slug: 'full', ...FIELDS },
      { slug: 'old', ...NONE },
    ])
    for (const path of ['/packs/full', '/packs/full/versions/1.0.0'])
      expect((await get(path)).json).toMatchObject(FIELDS)
    for (const path of ['/packs/old', '/packs/old/versions/1.0.0'])
      expect((await get(path)).json).toMatchObject(NONE)
  })

  it.each(paths)('never has its metadata or front matter: %s', async (path) => {
    for (const accept of ['application/json', 'text/markdown']) {
      const { status, text } = await get(path, { accept })
      expect([status, text]).toEqual([200, expect.not.stringMatching(/metadata|front_matter|undisclosed/)])
    }
  })
})

describe('a download', () => {
  it.each([{}, NDJSON])('has descriptions and tags, and no metadata, with %o', async (headers) => {
    const { text } = await api.request('/api/v1/packs/download', { key: api.pro.key, headers })
    const parse = (line: string): object => JSON.parse(line) as object
    const entries =
      headers === NDJSON
        ? text.trimEnd().split('\n').map(parse)
        : (parse(text) as { readonly data: unknown }).data
    expect(entries).toMatchObject([
      { slug: 'full', ...FIELDS },
      { slug: 'old', ...NONE },
    ])
    expect(text).not.toMatch(/metadata|front_matter|undisclosed/)
  })
})

it('a client can compare the decoded content with sha256', async () => {
  const { json } = await api.request('/api/v1/packs/full', { key: api.pro.key })
  const body = decode(json.content, json.rosetta!)
  expect(body).toBe(BODY)
  expect(createHash('sha256').update(body).digest('hex')).toBe(json.sha256)
})
