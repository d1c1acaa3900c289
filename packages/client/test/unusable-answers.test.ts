import { sealPack } from '@packs/codec/internal'
import { describe, expect, it } from 'vitest'
import { samplePack } from '../../test-kit/test/sign-pack.ts'
import { createClient } from '../src/index.ts'

const ID = `pk_${'a'.repeat(26)}`

/** Opens a client of a catalog that answers everything with one text. */
function open(text: string, status = 200) {
  const fetch = (): Promise<Response> => Promise.resolve(new Response(text, { status }))
  return createClient({ url: 'https://catalog.test', key: 'key', fetch, retries: 0 })
}

/** Changes fields of a pack so that its digest is right. */
function change(fields: Readonly<Record<string, unknown>>): string {
  const { pack_digest: _digest, ...rest } = samplePack
  return JSON.stringify(sealPack({ ...rest, ...fields }))
}

describe('a pack with a right digest is refused', () => {
  it.each([
    ['its slug is a path', { slug: '../../etc/x' }],
    ['its slug is longer than a slug', { slug: 'a'.repeat(101) }],
    ['its version moves the cursor', { version: '1.0.0\u001b[2J' }],
    ['its description is a number', { description: 1 }],
    ['its tags are a text', { tags: 'a' }],
    ['its front matter is an object', { front_matter: {} }],
  ])('if %s', async (_, fields) => {
    const { packs } = open(change({ ...fields, id: ID }))
    await expect(packs.get(ID)).rejects.toMatchObject({ name: 'ClientError', code: 'invalid_response' })
  })

  it('if it is nested too deeply', async () => {
    const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`
    const { packs } = open(change({}).replace('{', `{"metadata":${deep},`))
    await expect(packs.get(samplePack.slug)).rejects.toMatchObject({
      name: 'ClientError',
      code: 'invalid_response',
    })
  })
})

it('a version in a list is no other text', async () => {
  const line = { published_at: '', sha256: '', token_count: 1, yanked: false, yanked_reason: null }
  const { packs } = open(JSON.stringify({ data: [{ ...line, version: '1.0.0\u001b[2J' }] }))
  await expect(packs.versions('a')).rejects.toMatchObject({ code: 'invalid_response' })
})

it.each([{ toString: 1 }, 1, null, undefined])(
  'an error with the detail %o is one of the client',
  async (detail) => {
    const { packs } = open(JSON.stringify({ code: 'pack_not_found', detail }), 404)
    await expect(packs.get('a')).rejects.toMatchObject({
      name: 'ClientError',
      code: 'pack_not_found',
      message: 'pack_not_found',
    })
  },
)
