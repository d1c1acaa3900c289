// What the paths answer, with the texts cut short: the examples of the documentation.
import { frameTexts, writeHead } from '@packs/codec/internal'
import type { CatalogSample } from '@packs/catalog'

const PACK = {
  id: 'pk_hde0e68d0vafssn19nfx1sx3nd',
  slug: 'payments-api-reference',
  title: 'Harbour Payments API reference',
  domain: 'Payments',
  domain_slug: 'payments',
  subdomain: 'API reference',
  version: '1.0.0',
  difficulty: 'advanced',
  description: null,
  tags: [],
  compression: 'dense-2',
  tokenizer: 'o200k_base',
  token_count: 2092,
  uncompressed_estimate: 2868,
  savings_pct: 27.06,
  rosetta_tokens: 224,
  net_savings_pct: 19.25,
  preview_tokens: 312,
  sha256: 'ff9c9c5a9301ce1ab97effca4ffb95d8324f96c0bd00f0aafadc5d20f3960b47',
  published_at: '2026-03-01T12:00:00.000Z',
  updated_at: '2026-03-01T12:00:00.000Z',
}
const DIGEST = 'c0983aa638d4e7f368b756d701090d0a2f4b6edc234feb804431ddcc5342ab7b'
const { id, slug, title, version, domain_slug, difficulty, token_count, rosetta_tokens } = PACK
const ROSETTA = '[DECODE] 理=[[Top]](#) [[Methods]](13)|입=in the smallest unit|값=**Content-Type**: '
const LINKS = ['PaymentsApi.md#createCustomer', 'PaymentsApi.md#createPayment']
const CONTENT = '# Harbour Payments API reference\n\nHarbour takes card and bank payments, refunds them, …'
const SECTION_TEXT = '### Idempotency\n\nEach POST takes the header `Idempotency-Key`, a string …'
const PATH = [title, 'Conventions', 'Idempotency']
const frame = (attributes: Readonly<Record<string, string>>, text: string): string =>
  writeHead() + frameTexts([{ attributes, text }]).join('')
const PASSAGE_TEXT = `${PATH.slice(0, -1).join(' › ')}\n${SECTION_TEXT}`
const PASSAGE = frame({ id: `${slug}#idempotency` }, PASSAGE_TEXT)

const FULL = {
  format: 'packs/2',
  ...PACK,
  minify: { dialect: [], off: [] },
  text_sha256: '01633610becc27bd979fc6e46505e9d16bced5fc65936af768f8436809193c8b',
  links_sha256: '8f58871f9449c2cfe9cb986d14a84a4c76300f263c745144518dc43b31796472',
  patch_sha256: '6a9f361fb835fc5fc14a62c79eaa4fba60dbab132e9bbfa6dec187f1a373ea84',
  pack_digest: DIGEST,
  preview: false,
}
const TEXTS = {
  preview_content: '# Harbour Payments API reference\n\n…',
  rosetta: ROSETTA,
  content: CONTENT,
  links: LINKS,
}

const OUTLINE = {
  data: [
    {
      id: 'idempotency',
      title: 'Idempotency',
      path: PATH,
      level: 3,
      tokens: 262,
      subtree_tokens: 262,
      in_preview: true,
    },
  ],
  meta: {
    slug,
    version,
    tokens: 2868,
    total: 31,
    in_preview: 6,
    page: 1,
    limit: 1,
    pages: 31,
    next: `/api/v1/packs/${slug}/sections?page=2&limit=1`,
  },
}

const SECTION = {
  id: 'idempotency',
  title: 'Idempotency',
  path: PATH,
  pack: slug,
  version,
  content: SECTION_TEXT,
  rosetta: '[DECODE]',
  compression: 'none',
  token_count: 262,
  rosetta_tokens: 0,
  uncompressed_estimate: 262,
  net_savings_pct: 0,
  sha256: 'e1cfe1cd001ee4427537b0fe89ff0fb574989c1489c8ee5b19cc50e936ef8961',
  links: {},
}

export const statusExample: object = {
  mode: 'online',
  since: '2026-03-01T12:00:00.000Z',
  message: null,
  retry_after: null,
}

export const keysExample: object = {
  keys: [
    {
      kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
      kty: 'OKP',
      crv: 'Ed25519',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      status: 'active',
    },
  ],
}

export const purgedExample: object = {
  data: [{ slug: 'tls', version: '1.0.0', purged_at: '2026-03-01T12:00:00.000Z', reason: 'has a password' }],
  meta: { next: 7, more: false },
}

interface RouteExample {
  /** Path and query below `/api/v1`. */
  readonly call: (sample: CatalogSample) => string
  readonly answer: object
  readonly markdown?: string
}

const call =
  (rest = ''): RouteExample['call'] =>
  ({ slugs }) =>
    `/packs/${slugs[0]}${rest}`
const callVersion =
  (rest = ''): RouteExample['call'] =>
  (sample) =>
    call(`/versions/${sample.version}${rest}`)(sample)
const callSection: RouteExample['call'] = ({ section }) => `/sections/${encodeURIComponent(section)}`
const query = ({ question: q }: CatalogSample): string => new URLSearchParams({ q }).toString()

const getPack: RouteExample = {
  call: call(),
  answer: { ...FULL, ...TEXTS },
  markdown: frame({ title }, CONTENT),
}
const listPackSections: RouteExample = { call: call('/sections?limit=1'), answer: OUTLINE }
const getPackSection: RouteExample = {
  call: (sample) => call(callSection(sample))(sample),
  answer: SECTION,
  markdown: frame({ id: `${slug}#idempotency` }, SECTION_TEXT),
}
export const routeExamples: Readonly<Record<string, RouteExample>> = {
  listPacks: {
    call: () => '/packs?limit=1',
    answer: { data: [PACK], meta: { total: 1, page: 1, limit: 1, pages: 1, next_cursor: null, next: null } },
  },
  searchPacks: {
    call: (sample) => `/search?${query(sample)}&limit=1`,
    answer: {
      data: [
        {
          pack: {
            id,
            slug,
            title,
            version,
            pack_digest: DIGEST,
            domain_slug,
            difficulty,
            token_count,
            rosetta_tokens,
            uncompressed_estimate: 2868,
          },
          section: { id: 'idempotency', title: 'Idempotency', path: PATH, tokens: 262 },
          snippet: 'A key that is made inside the retry loop protects nothing.',
          matched: ['text'],
          also: [],
        },
      ],
      meta: {
        total: 3,
        page: 1,
        limit: 1,
        next: '/api/v1/search?q=retry+a+payment&page=2&limit=1',
        query: { corrected: null },
      },
    },
  },
  getContext: {
    call: (sample) => `/context?${query(sample)}&budget=1000`,
    answer: {
      text: PASSAGE,
      links: {},
      tokens: 294,
      tokenizer: 'o200k_base',
      budget: 1000,
      needed: null,
      match: 'good',
      passages: [
        {
          pack: slug,
          version,
          pack_digest: DIGEST,
          title,
          section: 'idempotency',
          sections: ['idempotency'],
          path: PATH,
          tokens: 294,
          score: 3.4326,
          text: PASSAGE_TEXT,
          url: null,
        },
      ],
      omitted: [],
      corrected: null,
    },
    markdown: PASSAGE,
  },
  downloadPacks: {
    call: () => '/packs/download',
    answer: {
      data: [{ ...FULL, ...TEXTS }],
      meta: { count: 1, next_cursor: null, resume_cursor: 'AAAAAAAMAAAAAAAM.XDc7DJ-hzfPgOG92-JWAhQ' },
    },
  },
  getPack,
  listPackVersions: {
    call: call('/versions'),
    answer: {
      data: [
        {
          version,
          published_at: PACK.published_at,
          token_count,
          rosetta_tokens,
          sha256: PACK.sha256,
          signers: [],
          yanked: false,
          yanked_reason: null,
        },
      ],
      meta: { total: 1 },
    },
  },
  getPackVersion: { ...getPack, call: callVersion() },
  listPackSections,
  listVersionSections: { ...listPackSections, call: callVersion('/sections?limit=1') },
  getPackSection,
  getVersionSection: { ...getPackSection, call: (sample) => callVersion(callSection(sample))(sample) },
  getUsage: {
    call: () => '/usage',
    answer: { tier: 'pro', limit: 1000, used: 7, remaining: 993, reset_at: '2026-03-02T00:00:00.000Z' },
  },
}
