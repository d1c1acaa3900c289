import { hash } from 'node:crypto'
import { decode, type Scheme } from '@packs/codec'
import { writeLinks } from '@packs/codec/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildVersion } from '../../../test-kit/test/build-version.ts'
import { readExample } from '../../../test-kit/test/example-packs.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'

const SCHEMES: readonly Scheme[] = ['none', 'minify-1', 'dense-2', 'max-2']

// prettier-ignore
const phrases = [
  'certificate signing request', 'the append-only file of the database', 'Kubernetes の更新', '再生可能エネルギー',
  'strictNullChecks', 'a naïve café', '🙂 emoji', '`code with ~intro`',
] as const
const sentence = fc
  .array(fc.oneof(fc.constantFrom(...phrases), fc.lorem({ maxCount: 3 })), { minLength: 3, maxLength: 12 })
  .map((words) => `${words.join(' ')}.`)
const heading = fc
  .tuple(
    fc.integer({ min: 1, max: 4 }),
    fc.constantFrom('Setup', '再発行', 'Use it', 'Notes {#notes}', '`code`', ''),
  )
  .map(([level, title]) => `${'#'.repeat(level)} ${title}`)
const block = fc.oneof(
  { weight: 4, arbitrary: sentence },
  { weight: 2, arbitrary: heading },
  { weight: 1, arbitrary: sentence.map((text) => `\`\`\`\n# not a heading\n${text}\n\`\`\``) },
  { weight: 1, arbitrary: sentence.map((text) => `- ${text}`) },
)
const markdown = fc.array(block, { minLength: 2, maxLength: 24 }).map((blocks) => `${blocks.join('\n\n')}\n`)

/** Repeats enough in one section for a header, under every scheme. */
const REPEATING = `# Setup\n\nShort.\n\n## Repeated\n\n${'Every velvet grey hat entry names a velvet grey hat.\n'.repeat(20)}`

const queries = fc.sample(
  fc.oneof(
    fc.constantFrom(...phrases),
    fc.constantFrom(...phrases).map((phrase) => `"${phrase}"`),
    fc.lorem({ maxCount: 4 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  ),
  { numRuns: 80, seed: 20260303 },
)

const bodies = fc.sample(markdown, { numRuns: 24, seed: 20260302 })
const random = bodies.map((body, at) =>
  buildVersion({ slug: `random-${at}`, body, scheme: SCHEMES[at % SCHEMES.length]! }),
)
const examples = ['nakhil', 'sourdough-bread', 'tls-certificates', 'zhongguo-cha'].map((slug) => {
  return buildVersion({ slug, body: readExample(slug).text.replace(/^---\n[^]*?\n---\n/, '') })
})
const repeating = SCHEMES.map((scheme) =>
  buildVersion({ slug: `repeating-${scheme}`, body: REPEATING, scheme }),
)
const versions = await Promise.all([...random, ...examples, ...repeating])
const api = await startApi({ versions })

interface ListedSection {
  readonly id: string
  readonly tokens: number
  readonly in_preview: boolean
}

async function listSections(slug: string, { key } = api.free): Promise<readonly ListedSection[]> {
  const { json } = await api.request(`/api/v1/packs/${slug}/sections`, { key })
  return json.data as unknown as readonly ListedSection[]
}

const writePath = (slug: string, id: string): string =>
  `/api/v1/packs/${slug}/sections/${encodeURIComponent(id)}`

describe('the sections of many packs', () => {
  it('joined are the body, byte for byte, and cost at most what plain text costs', async () => {
    const compressed = new Set<string>()
    for (const { pack } of versions) {
      const texts: string[] = []
      for (const { id, tokens } of await listSections(pack.slug, api.pro)) {
        const { json } = await api.request(writePath(pack.slug, id), { key: api.pro.key })
        const text = decode(json.content, json.rosetta!)
        texts.push(text)
        compressed.add(String(json['compression']))
        expect([id, json['sha256']]).toEqual([id, hash('sha256', text)])
        expect([id, json['uncompressed_estimate']]).toEqual([id, tokens])
        expect(Number(json['token_count']) + Number(json['rosetta_tokens'])).toBeLessThanOrEqual(tokens)
      }
      expect(texts.join('')).toBe(decode(pack.content, pack.rosetta))
    }
    // Without terms, a section is plain under minify-1 too.
    expect([...compressed].toSorted()).toEqual(['dense-2', 'max-2', 'none'])
  }, 120_000)

  it('are open to Free accounts exactly as far as the preview', async () => {
    let open = 0
    for (const { pack } of versions) {
      const preview = decode(pack.preview_content, pack.rosetta)
      let joined = ''
      // An account is refused sixty times a minute.
      const { key } = await api.addCustomer('free')
      for (const { id, in_preview } of await listSections(pack.slug)) {
        const { status, json } = await api.request(writePath(pack.slug, id), { key })
        expect([id, status]).toEqual([id, in_preview ? 200 : 403])
        if (in_preview) joined += json.content
        open += Number(in_preview)
      }
      expect(preview.startsWith(joined)).toBe(true)
    }
    expect(open).toBeGreaterThan(10)
  }, 120_000)
})

describe('search by Free accounts', () => {
  it('shows no text beyond the preview, whatever the query', async () => {
    const previews = new Map(
      // Snippets are without the numbers of links.
      versions.map(({ pack }) => [
        pack.slug,
        writeLinks(decode(pack.preview_content, pack.rosetta), [], 'drop'),
      ]),
    )
    let shown = 0
    let hidden = 0
    for (const query of queries) {
      const path = `/api/v1/search?limit=50&q=${encodeURIComponent(query)}`
      const { status, json } = await api.request(path, { key: api.free.key })
      expect([query, [200, 400].includes(status)]).toEqual([query, true])
      const hits = (json.data ?? []) as unknown as Hit[]
      for (const { pack, snippet, also } of hits) {
        for (const text of [snippet, ...also.map((other) => other.snippet)]) {
          if (text === null) hidden += 1
          else shown += 1
          expect(previews.get(pack.slug)).toContain(text ?? '')
        }
      }
    }
    expect(Math.min(shown, hidden)).toBeGreaterThan(50)
    expect(api.log).toEqual([])
  }, 120_000)
})

interface Hit {
  readonly pack: { readonly slug: string }
  readonly snippet: string | null
  readonly also: readonly { readonly snippet: string | null }[]
}
