import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { compress, CompressError, compressTogether } from '../../../src/compress/index.ts'
import { decode, parseRosetta, systemPrompt } from '../../../src/index.ts'
import { o200kBase } from '../../../src/tokens/o200k-base.ts'
import type { Scheme } from '../../../src/types.ts'
import { framePacks } from '../../../src/prompt/frame-packs.ts'
import { nastyMarkdown } from '../nasty-markdown.ts'

const SCHEMES: readonly Scheme[] = ['glossary-1', 'dense-1', 'max-1']
/** Sets for each scheme; `pnpm test:exact` takes 10,000. */
const RUNS = Number(process.env['PACKS_PROPERTY_RUNS'] ?? 500) / 5

const recount = (text: string): number => countTokens(text, { disallowedSpecial: new Set() })

/** A few lines about one subject, so that texts of it share phrases. */
function writeText(subject: string, lines: number): string {
  const sentences = [
    'The certificate transparency log keeps every signed certificate timestamp.',
    'A monitor reads the certificate transparency log and warns the domain owner.',
    'Each signed certificate timestamp names the certificate transparency log that gave it.',
    'The domain owner asks the certificate authority for a new certificate.',
  ]
  const body = Array.from({ length: lines }, (_, line) => `- ${subject} ${line}: ${sentences[line % 4]}`)
  return [`# ${subject}`, '', ...body, ''].join('\n')
}

const TEXTS = ['Alpha', 'Beta', 'Gamma', 'Delta'].map((subject) => writeText(subject, 12))

describe.each(SCHEMES)('%s', (scheme) => {
  it('decodes every text with its own header and with the shared one', () => {
    let shared = 0
    fc.assert(
      fc.property(fc.array(nastyMarkdown, { minLength: 1, maxLength: 4 }), fc.boolean(), (texts, repeat) => {
        const markdowns = repeat ? [...texts, `${texts[0]!}${texts.at(-1)!}`] : texts
        const result = compressTogether(markdowns, { scheme })
        const header = parseRosetta(result.rosetta)
        const pairs = header.entries.map(({ term, expansion }) => `${term}=${expansion}`)
        for (const [place, { content, rosetta, tokens, scheme: used }] of result.compressions.entries()) {
          expect(decode(content, rosetta)).toBe(markdowns[place])
          expect(decode(content, header)).toBe(markdowns[place])
          const prompt = framePacks([{}], [content], used === 'none' ? undefined : rosetta)
          expect(o200kBase.countTokens(prompt)).toBeLessThanOrEqual(tokens.source)
          const own = parseRosetta(rosetta).entries.map(({ term, expansion }) => `${term}=${expansion}`)
          expect(own).toEqual(pairs.filter((pair) => own.includes(pair)))
          if (used !== 'none') shared++
        }
      }),
      { numRuns: RUNS },
    )
    expect(shared).toBeGreaterThan(RUNS / 4)
  })

  it('counts the tokens of each text alone and of all together', () => {
    const { compressions, rosetta, headerTokens } = compressTogether(TEXTS, { scheme })
    for (const [place, { content, rosetta: own, tokens }] of compressions.entries()) {
      expect(tokens).toEqual({
        source: recount(TEXTS[place]!),
        content: recount(content),
        rosetta: recount(own),
      })
    }
    const prompt = systemPrompt(compressions)
    expect(parseRosetta(prompt.rosetta).entries).toHaveLength(parseRosetta(rosetta).entries.length)
    expect(headerTokens.at(-1)).toBe(recount(prompt.rosetta))
  })

  it('reports the header tokens of a prompt with the first texts', () => {
    const { compressions, headerTokens } = compressTogether(TEXTS, { scheme })
    for (let count = 1; count <= TEXTS.length; count++) {
      const loaded = compressions.slice(0, count)
      const prompt = systemPrompt(loaded)
      expect(recount(prompt.rosetta)).toBe(headerTokens[count - 1])
      for (const { content } of loaded) expect(prompt.text).toContain(content)
    }
  })

  it('saves more than separate compression if the texts share phrases', () => {
    const { compressions, headerTokens } = compressTogether(TEXTS, { scheme })
    const apart = TEXTS.map((text) => compress(text, { scheme }).tokens)
    const paidApart = apart.reduce((sum, { content, rosetta }) => sum + content + rosetta, 0)
    const contents = compressions.reduce((sum, { tokens }) => sum + tokens.content, 0)
    expect(contents + headerTokens.at(-1)!).toBeLessThan(paidApart)
  })

  it('lists the uses of each entry in each text', () => {
    let entryCount = 0
    for (const { content, entries } of compressTogether(TEXTS, { scheme }).compressions) {
      for (const { term, uses } of entries) {
        const found =
          scheme === 'glossary-1' ? content.split(new RegExp(`\\b${term}\\b`)) : content.split(term)
        expect(uses).toBe(found.length - 1)
        entryCount++
      }
    }
    expect(entryCount).toBeGreaterThan(0)
  })
})

describe('texts with a shared header', () => {
  it('scans the lines of each text separately', () => {
    const fence = `${TEXTS[0]}\n\`\`\`\ncertificate transparency log\n`
    const { compressions } = compressTogether([fence, ...TEXTS.slice(1)])
    expect(compressions[0]!.content.endsWith('```\ncertificate transparency log\n')).toBe(true)
    for (const { content } of compressions.slice(1)) {
      expect(content).not.toContain('certificate transparency log')
    }
  })

  it('ends an unclosed verbatim region with its text', () => {
    const open = `${TEXTS[0]}\n<!-- pack:verbatim -->\n${TEXTS[1]}`
    const { compressions } = compressTogether([open, ...TEXTS.slice(2)])
    expect(compressions[0]!.content).toContain(TEXTS[1])
    expect(compressions[1]!.content).not.toContain('certificate transparency log')
  })

  it('uses no term that occurs in one of the texts', () => {
    const taken = TEXTS.map((text, place) =>
      place === 0 ? `${text}\nCTL, ctl and § ◆ ~ are taken.\n` : text,
    )
    for (const scheme of SCHEMES) {
      const { entries } = compressTogether(taken, { scheme })
      expect(entries.map(({ term }) => term)).not.toEqual(expect.arrayContaining(['CTL']))
      for (const term of ['§', '◆', '~']) expect(entries.map((entry) => entry.term)).not.toContain(term)
    }
  })
})

describe('texts that cannot share entries', () => {
  it.each(SCHEMES)('never lengthens a small text among large ones: %s', (scheme) => {
    const texts = [...TEXTS, 'The certificate transparency log.', '']
    const { compressions } = compressTogether(texts, { scheme })
    for (const { tokens } of compressions) {
      expect(tokens.content + tokens.rosetta).toBeLessThanOrEqual(tokens.source)
    }
    expect(compressions[4]).toMatchObject({ scheme: 'none', content: texts[4], rosetta: '[DECODE]' })
  })

  it.each(SCHEMES)('leaves an ill-formed text uncompressed: %s', (scheme) => {
    const texts = [`${TEXTS[0]}\ud800`, ...TEXTS.slice(1)]
    const { compressions, rosetta } = compressTogether(texts, { scheme })
    expect(compressions.map((compression) => compression.scheme)).toEqual(['none', scheme, scheme, scheme])
    expect(decode(compressions[0]!.content, rosetta)).toBe(texts[0])
  })

  it('shares nothing under none, and accepts an empty list', () => {
    expect(compressTogether(TEXTS, { scheme: 'none' })).toMatchObject({ rosetta: '[DECODE]', entries: [] })
    expect(compressTogether([])).toMatchObject({ compressions: [], headerTokens: [], rosetta: '[DECODE]' })
  })
})

describe('glossaries', () => {
  const glossary = [{ expansion: 'certificate transparency log', term: 'TL' }]

  it('pins a term in every text that pays for it', () => {
    const verbs = ['reads', 'writes', 'signs', 'trusts', 'audits', 'keeps', 'joins', 'leaves']
    const texts = [
      ['Ann', 'Ada', 'Amy'],
      ['Bob', 'Ben', 'Bea'],
      ['Cy', 'Cleo', 'Cora'],
    ].map((names) =>
      names
        .flatMap((name) =>
          verbs.map((verb) => `${verb}${name} certificate transparency log ${name}${verb}.\n`),
        )
        .join(''),
    )
    const { compressions, rosetta, notes } = compressTogether(texts, { glossary })
    expect(rosetta).toContain('TL=certificate transparency log')
    expect(notes).toEqual([])
    for (const compression of compressions) expect(compression.rosetta).toContain('TL=')
  })

  it('notes a missing pin once', () => {
    const { notes } = compressTogether(TEXTS, { glossary: [{ expansion: 'nowhere to be seen', term: 'NW' }] })
    expect(notes).toMatchObject([{ rule: 0, code: 'pin_not_found' }])
  })

  it('names the text that contains a pinned term', () => {
    const texts = [TEXTS[0]!, `${TEXTS[1]}\ntl\n`]
    const error = catchError(() => compressTogether(texts, { glossary }))
    expect(error).toMatchObject({ code: 'term_collision', rule: 0, text: 1, offsets: [TEXTS[1]!.length + 1] })
  })

  it('rejects texts that are too large together', () => {
    const half = 'é'.repeat(5 * 1024 * 1024)
    const error = catchError(() => compressTogether([half, half]))
    expect(error).toMatchObject({ code: 'source_too_large' })
  })
})

function catchError(run: () => unknown): CompressError {
  try {
    run()
  } catch (error) {
    if (error instanceof CompressError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
