import { decode } from '@packs/codec'
import { checkPack } from '@packs/codec/pack'
import { PublishError } from '@packs/publisher'
import { renumberPack, buildVersion } from '../../src/version-builder/decide-version.ts'
import { describe, expect, it } from 'vitest'
import { writeSource } from '../sources.ts'

const BODY = `# Logs\n\n${'Every certificate transparency log entry names a certificate transparency log.\n'.repeat(20)}`

function file(text: string): { readonly bytes: Uint8Array; readonly path: string } {
  return { bytes: Buffer.from(text), path: 'a.md' }
}

describe('buildVersion', () => {
  it('builds a sealed pack that decodes to the source, with the decided number', async () => {
    const { pack, decision, settings } = await buildVersion(file(writeSource('logs', BODY)), undefined)
    expect(decode(pack.content, pack.rosetta)).toBe(BODY)
    expect([pack.version, decision.version]).toEqual(['1.0.0', '1.0.0'])
    expect(settings).toEqual({ scheme: 'minify-1', code: true, tokenizer: 'o200k_base' })
    const renumbered = renumberPack(pack, '7.8.9')
    expect(renumbered).toMatchObject({ version: '7.8.9', content: pack.content })
    expect((await checkPack(renumbered)).filter(({ ok }) => !ok)).toEqual([])
  })

  it('builds the same bytes twice', async () => {
    const [first, second] = [
      await buildVersion(file(BODY), undefined),
      await buildVersion(file(BODY), undefined),
    ]
    expect(first.pack).toEqual(second.pack)
  })

  it.each([
    [
      'front matter',
      writeSource('a', 'private words\n', 'budget: Not A Number\n'),
      'a.md has an error on line 7: invalid-value',
    ],
    [
      'a budget',
      writeSource('a', `${BODY}private words\n`, 'budget: 1\n'),
      'a.md has an error on line 7: over-budget',
    ],
  ])('rejects invalid %s with line and rule, but without its text', async (_, text, message) => {
    const error = await buildVersion(file(text), undefined).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PublishError)
    expect(error).toMatchObject({ code: 'bad_source', message })
    expect(`${(error as PublishError).message}${(error as PublishError).hint}`).not.toMatch(/private|Not A/)
    expect((error as PublishError).messages.length).toBeGreaterThan(0)
  })
})
