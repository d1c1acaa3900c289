import fc from 'fast-check'
import { makePack } from '../../../api/test/sample-packs.ts'
import type { Pack } from '@packs/codec/pack'
import { decode } from '@packs/codec'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createSkill, isSealed } from '../../src/skill/create-skill.ts'

const { description: _description, ...sample } = makePack({ slug: 'tls-basics', title: 'TLS basics' }).pack
const makeDocument = (fields: Partial<Pack>): Pack => ({ ...sample, ...fields })
const SOURCE = '# TLS\n\nHow to *renew*\na certificate.\n\nAnother paragraph.\n'

/** Reads a file as programs that load skills do: front matter between the first two lines of three hyphens. */
function readSkill(text: string): { readonly matter: Record<string, unknown>; readonly body: string } {
  const [, matter = '', body = ''] = /^---\n(.*?)\n---\n\n(.*)$/s.exec(text) ?? []
  return { matter: parse(matter) as Record<string, unknown>, body }
}

function describePack(fields: Partial<Pack>, source: string): string {
  return createSkill(makeDocument(fields), source, false).description
}

describe('createSkill', () => {
  it('writes name, description and where the content is from, then the text as it is', () => {
    const pack = { ...sample, description: 'Use it: for "TLS" #1' }
    const { text } = createSkill(pack, SOURCE, false)
    const { matter, body } = readSkill(text)
    expect(matter).toEqual({
      name: 'tls-basics',
      description: 'Use it: for "TLS" #1',
      metadata: {
        pack: 'tls-basics',
        'pack-version': '1.0.0',
        'pack-digest': sample.pack_digest,
        'file-digest': expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    })
    expect(body).toBe(SOURCE)
  })

  it('writes the header before the content if it is compressed', () => {
    const phrase = 'knowledge pack of the catalog '
    const pack = {
      ...sample,
      content: 'KP '.repeat(50),
      rosetta: `[DECODE] KP=${phrase.trim()}`,
      uncompressed_estimate: 250,
      token_count: 100,
      rosetta_tokens: 12,
    }
    const { body } = createSkill(pack, phrase.repeat(50), true)
    expect(body).toMatch(/^Read every term .*\n\[DECODE\] KP=knowledge pack of the catalog\n\nKP KP /)
    expect(decode(body.slice(body.indexOf('KP KP')), pack.rosetta)).toBe(phrase.repeat(50))
  })

  it.each([
    ['the description of the pack', { description: 'Of the pack' }, SOURCE, 'Of the pack'],
    ['else title and first paragraph', {}, SOURCE, 'TLS basics: How to renew a certificate.'],
    ['else a paragraph that names the title', {}, 'About *TLS* basics.\n', 'About TLS basics.'],
    ['else the title', {}, '# TLS\n\n```\ncode\n```\n', 'TLS basics'],
    ['else the slug', { title: '\u0085' }, '', 'tls-basics'],
    ['without tags', { description: 'Of <b>a</b> < 5 <!-- x -->' }, SOURCE, 'Of ‹b›a‹/b› < 5 ‹!-- x --›'],
  ])('describes a skill by %s', (_, fields, source, expected) => {
    expect(describePack(fields, source)).toBe(expected)
  })

  it('cuts a long description at a word and a long name at a hyphen', () => {
    const description = describePack({}, 'word '.repeat(400))
    expect(description).toMatch(/word…$/)
    expect(description.length).toBeLessThanOrEqual(1024)
    expect(description.length).toBeGreaterThan(1010)
    const slug = `${'ab-'.repeat(33)}a`
    expect(createSkill({ ...sample, slug }, SOURCE, false).name).toBe('ab-'.repeat(21).slice(0, -1))
  })

  it('is valid for every pack', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 })
    const slug = fc.stringMatching(/^[a-z0-9]{1,9}(-[a-z0-9]{1,9}){0,9}$/)
    fc.assert(
      fc.property(
        slug,
        text,
        fc.option(text, { nil: undefined }),
        text,
        (slug, title, description, source) => {
          const fields = { slug, title, ...(description !== undefined && { description }) }
          const skill = createSkill(makeDocument(fields), source, false)
          const { matter, body } = readSkill(skill.text)
          expect(matter['name']).toMatch(/^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/)
          expect(matter['description']).toBe(skill.description)
          expect(skill.description.trim()).not.toBe('')
          expect(skill.description.length).toBeLessThanOrEqual(1024)
          expect(body).toBe(source.replace(/^\uFEFF/, ''))
        },
      ),
    )
  })
})

describe('isSealed', () => {
  const { text } = createSkill(sample, SOURCE, false)

  it('tells a file that pack wrote from others and from one that was changed', () => {
    expect(isSealed(text)).toBe(true)
    expect(isSealed(text.replace('renew', 'revoke'))).toBe(false)
    expect(isSealed(text.replace('name: ', 'name:  '))).toBe(false)
    expect(isSealed(`${text}\n`)).toBe(false)
    expect(isSealed('---\nname: a\n---\n')).toBe(false)
  })
})
