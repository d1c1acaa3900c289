import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serializePack } from '@packs/codec/internal'
import { buildPack, type Pack, parseSource } from '@packs/codec/pack'
import { expect, it, vi } from 'vitest'
import { readPacks } from '../../src/prompt/read-packs.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

vi.mock(import('@packs/files'), async (importOriginal) => {
  return { ...(await importOriginal()), MAX_SOURCE_BYTES: 1000 }
})

const WHOLE = { isPartEnough: false, isQuiet: true }
const PART = { isPartEnough: true, isQuiet: true }

it('reads packs up to the limit of all sources together, and no further', async () => {
  const { folder, write } = createFolder()
  await write('a', 'é'.repeat(300))
  await write('b', 'é'.repeat(190))
  await write('c', 'é'.repeat(50))
  // It is not read.
  writeFileSync(join(folder, 'd.pack.json'), '{}')
  const file = expect.stringContaining('c.pack.json')
  await expect(readPacks([folder], WHOLE)).rejects.toMatchObject({ code: 'source_too_large', file })
  const { packs, shown } = await readPacks([folder], PART)
  expect(packs.map(({ slug }) => slug)).toEqual(['a', 'b'])
  expect(shown).toHaveLength(4)
})

it('refuses a first pack that is too large, also where a part is enough', async () => {
  const { folder, write } = createFolder()
  await write('a', 'é'.repeat(600))
  await expect(readPacks([folder], PART)).rejects.toMatchObject({ code: 'source_too_large' })
})

it.each([
  [{ content: 'Another text.\n' }, 'decodes to a text that does not match its sha256'],
  [{ title: 'Another title' }, 'does not match its pack_digest'],
])('refuses a pack that was changed: %j', async (change, problem) => {
  const { folder, write } = createFolder()
  await write('a', 'A text.\n')
  await write('b', 'A text.\n', change)
  await expect(readPacks([folder], PART)).rejects.toMatchObject({
    code: 'digest_mismatch',
    message: expect.stringMatching(`b\\.pack\\.json ${problem}$`),
    file: expect.stringContaining('b.pack.json'),
  })
})

function createFolder() {
  const folder = makeFolder()
  const write = async (slug: string, body: string, change: Partial<Pack> = {}): Promise<void> => {
    const text = `---\ntitle: T\nslug: ${slug}\n---\n${body}`
    const { source } = parseSource(Buffer.from(text), { path: `${slug}.md` })
    const { pack } = await buildPack(source!, { scheme: 'none' })
    writeFileSync(join(folder, `${slug}.pack.json`), serializePack({ ...pack!, ...change }))
  }
  return { folder, write }
}
