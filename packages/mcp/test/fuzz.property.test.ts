import { loadTokenizer } from '@packs/codec/compress'
import { createMemorySource } from '@packs/client/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countAnswer, openSession } from './open-session.ts'
import { makePack, sketches } from './sample-packs.ts'

const long = {
  slug: `${'very-long-name-'.repeat(6)}end`,
  title: '長い題 '.repeat(60).trim(),
  body: Array.from(
    { length: 80 },
    (_, at) => `## ${'見出し'.repeat(at)} ${at}\n\n"quoted\\text" ${at}\n`,
  ).join('\n'),
}
const packs = await Promise.all([...sketches, long].map(makePack))
const session = await openSession(createMemorySource(() => Promise.resolve(packs), loadTokenizer))

const names = ['tls-certificates', 'http-status-codes', 'datenbanken', `${'very-long-name-'.repeat(6)}end`]
const sections = 'renewal automatic-renewal 503 ~intro tls-certificates 見出し-1 #revocation'.split(' ')
const junk = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 900 }),
  fc.anything({ withNullPrototype: false }).filter(isJson),
)
const maxTokens = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 100, max: 1200 }) },
  { weight: 1, arbitrary: fc.oneof(fc.integer(), fc.double(), junk) },
)

/** What can be sent as JSON. */
function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}

/** Calls a tool and checks what holds for every answer. */
async function check(name: string, args: Record<string, unknown>): Promise<void> {
  const sent = JSON.parse(JSON.stringify(args)) as Record<string, unknown>
  const answer = await session.call(name, sent)
  const { max_tokens: given } = sent
  const isValid = Number.isSafeInteger(given) && Number(given) >= 100 && Number(given) <= 200_000
  expect(await countAnswer(answer)).toBeLessThanOrEqual(isValid ? Number(given) : 8000)
  expect(answer.text).not.toBe('')
  expect(answer.text.isWellFormed()).toBe(true)
  expect(answer.text).not.toContain('(internal_error)')
  expect(answer.data === undefined).toBe(answer.isError)
}

describe('whatever the arguments are, an answer is valid and within max_tokens', () => {
  it('of search_packs', async () => {
    const words = fc.constantFrom(
      'certificate',
      'renewal by hand',
      '"signs the renewed"',
      'Schlüssel 索引',
      '404',
    )
    const args = fc.record({ query: fc.oneof(words, junk), max_tokens: maxTokens }, { requiredKeys: [] })
    await fc.assert(
      fc.asyncProperty(args, (given) => check('search_packs', given)),
      { numRuns: 150 },
    )
  })

  it('of read_pack', async () => {
    const pack = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...names, ...names.map((name) => `${name}@^1`)) },
      { weight: 1, arbitrary: junk },
    )
    const section = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...sections) },
      { weight: 1, arbitrary: junk },
    )
    const args = fc.record({ pack, section, max_tokens: maxTokens }, { requiredKeys: [] })
    await fc.assert(
      fc.asyncProperty(args, (given) => check('read_pack', given)),
      { numRuns: 250 },
    )
  })
})
