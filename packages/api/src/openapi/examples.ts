import { answers, texts } from './example-answers.ts'

/** How a path is called, and what it answers, with the texts cut short. */
export interface RouteExample {
  /** Path and query below `/api/v1`. */
  readonly call: string
  /** The same with `@packs/client`. */
  readonly client: string
  /** The MCP tool that answers the same, and its arguments. */
  readonly tool?: string
  readonly answer: object
  /** What `Accept: text/markdown` returns. */
  readonly markdown?: string
}

const slug = 'payments-api-reference'
const version = '1.0.0'

const getPack: RouteExample = {
  call: `/packs/${slug}`,
  client: `await client.packs.get('${slug}')`,
  tool: `read_pack {"pack": "${slug}"}`,
  answer: answers.getPack,
  markdown: texts.getPack,
}

const listPackSections: RouteExample = {
  call: `/packs/${slug}/sections?limit=1`,
  client: `await client.packs.outline('${slug}')`,
  answer: answers.listPackSections,
}

const getPackSection: RouteExample = {
  call: `/packs/${slug}/sections/idempotency`,
  client: `await client.packs.section('${slug}', 'idempotency')`,
  tool: `read_pack {"pack": "${slug}", "section": "idempotency"}`,
  answer: answers.getPackSection,
  markdown: texts.getPackSection,
}

/** Returns the example of the same path with a version. */
function atVersion(example: RouteExample): RouteExample {
  return {
    ...example,
    call: example.call.replace(slug, `${slug}/versions/${version}`),
    client: example.client.replace(slug, `${slug}@${version}`),
  }
}

/** Examples by the id of the operation. */
export const routeExamples: Readonly<Record<string, RouteExample>> = {
  listPacks: {
    call: '/packs?domain=payments&limit=1',
    client: `for await (const pack of client.packs.list({ domain: 'payments' })) console.log(pack.slug)`,
    answer: answers.listPacks,
  },
  searchPacks: {
    call: '/search?q=retry+a+payment&limit=1',
    client: `for await (const hit of client.search('retry a payment')) console.log(hit.snippet)`,
    tool: 'search_packs {"query": "retry a payment"}',
    answer: answers.searchPacks,
  },
  getContext: {
    call: '/context?q=retry+a+payment&budget=1000',
    client: `const { text } = await client.context('retry a payment', { budget: 1000 })`,
    tool: 'search_packs {"query": "retry a payment", "max_tokens": 1000}',
    answer: answers.getContext,
    markdown: texts.getContext,
  },
  downloadPacks: {
    call: '/packs/download?domain=payments',
    client: 'for await (const entry of client.packs.download()) console.log(entry.kind)',
    answer: answers.downloadPacks,
  },
  getPack,
  listPackVersions: {
    call: `/packs/${slug}/versions`,
    client: `await client.packs.versions('${slug}')`,
    answer: answers.listPackVersions,
  },
  getPackVersion: atVersion(getPack),
  listPackSections,
  listVersionSections: atVersion(listPackSections),
  getPackSection,
  getVersionSection: atVersion(getPackSection),
  getUsage: {
    call: '/usage',
    client: 'await client.usage()',
    answer: answers.getUsage,
  },
}
