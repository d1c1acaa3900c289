import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { parseSource, type Source } from '@packs/codec/pack'

const folder = join(import.meta.dirname, '..', 'packs')
const sources = readdirSync(folder).map((name) => readExample(name))

describe.each(sources)('$path', (source) => {
  it('is parsed without messages', () => {
    expect(source.messages).toEqual([])
  })

  it('has its slug as file name', () => {
    expect(basename(source.path)).toBe(`${source.slug}.md`)
  })

  it('sets domain and subdomain, and relies on no default fields', () => {
    expect(source.assumed).toEqual([])
    expect(source.domain).not.toBe('')
    expect(source.subdomain).not.toBe('')
    expect(source.domainSlug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  })

  it('begins with its title', () => {
    expect(source.body.trimStart().split('\n')[0]).toBe(`# ${source.title}`)
  })

  it('has 1,500 to 8,000 tokens', () => {
    const tokens = countTokens(source.body)
    expect(tokens).toBeGreaterThanOrEqual(1500)
    expect(tokens).toBeLessThanOrEqual(8000)
  })

  it('repeats no paragraph to gain savings', () => {
    const paragraphs = withoutFences(source.body)
      .split(/\n{2,}/)
      .filter((paragraph) => paragraph.length > 80)
    expect(new Set(paragraphs).size).toBe(paragraphs.length)
  })

  it('contains the phrases of its glossary, but not the terms', () => {
    const words = new Set(source.body.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu))
    for (const { expansion, term = expansion } of source.glossary) {
      expect(source.body.split(expansion).length).toBeGreaterThan(3)
      expect(words).not.toContain(term.toLowerCase())
    }
  })
})

describe('the examples together', () => {
  it('are at least nine, two of them with more than 5,000 tokens', () => {
    expect(sources.length).toBeGreaterThanOrEqual(9)
    expect(sources.filter(({ body }) => countTokens(body) > 5000).length).toBeGreaterThanOrEqual(2)
  })

  it('have unique slugs and titles', () => {
    expect(new Set(sources.map(({ slug }) => slug)).size).toBe(sources.length)
    expect(new Set(sources.map(({ title }) => title)).size).toBe(sources.length)
  })

  it('cover many domains, every difficulty and the scheme dense-2', () => {
    expect(new Set(sources.map(({ domainSlug }) => domainSlug)).size).toBeGreaterThanOrEqual(9)
    expect(new Set(sources.map(({ difficulty }) => difficulty))).toEqual(
      new Set(['beginner', 'intermediate', 'advanced', 'expert']),
    )
    expect(new Set(sources.map(({ compression }) => compression))).toContain('dense-2')
  })

  it('include one that is one third code, with the option code', () => {
    const inCode = sources.filter(({ body }) => shareOf(body, fencesOf(body).join('')) > 0.33)
    expect(inCode.map(({ code }) => code)).toContain(true)
  })

  it('include one that is half tables', () => {
    expect(sources.some(({ body }) => shareOf(body, linesOf(body, /^\|.*\|$/gm)) > 0.5)).toBe(true)
  })

  it.each([
    ['Japanese', /\p{Script=Hiragana}/gu, 0.3],
    ['Chinese', /\p{Script=Han}/gu, 0.6],
  ])('include one in %s', (_, letters, least) => {
    expect(sources.some(({ body }) => shareOf(body, linesOf(body, letters)) > least)).toBe(true)
  })

  it('include one with pinned terms, a phrase that is never replaced, a verbatim region and a budget', () => {
    const pinned = sources.filter(
      ({ glossary }) => glossary.filter(({ term }) => term !== undefined).length >= 2,
    )
    const kept = pinned.filter(({ glossary }) => glossary.some(({ never }) => never))
    expect(kept.some(({ body }) => body.includes('\n<!-- pack:verbatim -->\n'))).toBe(true)
    expect(kept.some(({ budget }) => budget !== undefined)).toBe(true)
  })

  it.each([
    ['nested lists', /^(?:\d+\.|-) .*\n(?: +.*\n|\n)* +(?:\d+\.|-) /m],
    ['task lists', /^- \[ \] .*\n {2}- \[ \] /m],
    ['block quotes', /^> /m],
    ['a verbatim region', /^<!-- pack:verbatim -->$[^]*^<!-- \/pack -->$/m],
    ['reference links', /\]\[[a-z]+\][^]*^\[[a-z]+\]: https:/m],
    ['footnotes', /\w\.\[\^[a-z]+\][^]*^\[\^[a-z]+\]: /m],
    ['fenced code inside lists', /^ {2,}```[a-z]+$/m],
  ])('include %s in the runbook', (_, pattern) => {
    const runbook = sources.find(({ slug }) => slug === 'incident-response')!
    expect(runbook.body).toMatch(pattern)
  })
})

function readExample(name: string): Source & { messages: string[] } {
  const { source, messages } = parseSource(readFileSync(join(folder, name)), { path: name })
  return { ...source!, messages: messages.map(String) }
}

function countTokens(text: string): number {
  return encode(text, { disallowedSpecial: new Set() }).length
}

function fencesOf(body: string): string[] {
  return body.match(/^ *```[a-z]+\n[^]*?^ *```$/gm) ?? []
}

function withoutFences(body: string): string {
  return fencesOf(body).reduce((text, fence) => text.replace(fence, ''), body)
}

function linesOf(body: string, pattern: RegExp): string {
  return (body.match(pattern) ?? []).join('')
}

function shareOf(whole: string, part: string): number {
  return part.length / whole.length
}
