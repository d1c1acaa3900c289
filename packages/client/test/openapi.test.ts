import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../api/test/start-api.ts'
import {
  downloadShape,
  listShape,
  outlineShape,
  previewShape,
  removedShape,
  searchShape,
  sectionShape,
  type Shape,
  statusShape,
  usageShape,
  versionsShape,
} from '../src/requests/shapes.ts'
import type {
  Hit,
  OutlineSection,
  PackSummary,
  PreviewPack,
  Section,
  Status,
  Usage,
  VersionLine,
} from '../src/types.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

interface OpenApi {
  readonly paths: Readonly<
    Record<string, { get: { responses: Record<string, { content: Record<string, { schema: Schema }> }> } }>
  >
}

let api: TestApi
let document: OpenApi

beforeAll(async () => {
  api = await startApi()
  document = JSON.parse((await api.request('/openapi.json')).text) as OpenApi
})

afterAll(() => api.close())

function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const parts = schema.$ref.slice(2).split('/')
  let found: unknown = document
  for (const part of parts) found = (found as Record<string, unknown>)[part.replaceAll('~1', '/')]
  return resolve(found as Schema)
}

/** All schemas that a value may have. */
function expand(schema: Schema): readonly Schema[] {
  const found = resolve(schema)
  const parts = found.anyOf ?? found.oneOf
  return parts === undefined ? [found] : parts.flatMap((part) => expand(part))
}

/** Names types as `typeof` does. */
function nameTypes(schema: Schema): readonly string[] {
  if ('const' in schema) return [schema.const === null ? 'null' : typeof schema.const]
  const types = [schema.type ?? (schema.enum ? 'string' : 'object')].flat()
  return types.map((type) => ({ integer: 'number', array: 'object' })[type] ?? type)
}

/** Lists where a shape and a schema differ, for the fields that the shape names. */
function findDifferences(shape: Shape, schema: Schema, place: string): string[] {
  const choices = expand(schema)
  if (typeof shape === 'string' || shape instanceof RegExp) {
    const stated = new Set(typeof shape === 'string' ? shape.split('|') : ['string'])
    const found = new Set(choices.flatMap(nameTypes))
    stated.delete('undefined')
    const isSame =
      [...stated].every((type) => found.has(type)) && [...found].every((type) => stated.has(type))
    return isSame ? [] : [`${place}: ${[...stated].join('|')} is ${[...found].join('|')}`]
  }
  const [one] = choices.filter((choice) => !nameTypes(choice).includes('null'))
  if (Array.isArray(shape)) return findDifferences(shape[0] as Shape, one!.items!, `${place}[]`)
  return Object.entries(shape as Readonly<Record<string, Shape>>).flatMap(([name, inner]) => {
    const field = name.replace('?', '')
    const found = one!.properties?.[field]
    const here = `${place}.${field}`
    if (found === undefined) return [`${here} is not sent`]
    const mayLack = typeof inner === 'string' && inner.includes('undefined')
    const mayBeNull = expand(found).some((choice) => nameTypes(choice).includes('null'))
    const isNullStated = name.endsWith('?') || (typeof inner === 'string' && inner.includes('null'))
    return [
      ...(one!.required?.includes(field) === mayLack
        ? [`${here} is ${mayLack ? 'always' : 'not always'} there`]
        : []),
      ...(mayBeNull === isNullStated ? [] : [`${here} may ${mayBeNull ? '' : 'not '}be null`]),
      ...findDifferences(inner, found, here),
    ]
  })
}

/** Returns the schema of a response; of one title, if there are several. */
function findSchema(path: string, title?: string): Schema {
  const { schema } = document.paths[path]!.get.responses['200']!.content['application/json']!
  return title === undefined ? schema : expand(schema).find((choice) => choice.title === title)!
}

const list = '/api/v1/packs'

it.each<[string, string, Shape, string?]>([
  ['list', list, listShape],
  ['search', '/api/v1/search', searchShape],
  ['preview', `${list}/{id}`, previewShape, 'Preview of a pack'],
  ['versions', `${list}/{id}/versions`, versionsShape],
  ['outline', `${list}/{id}/sections`, outlineShape],
  ['section', `${list}/{id}/sections/{section}`, sectionShape],
  ['download', `${list}/download`, downloadShape],
  ['usage', '/api/v1/usage', usageShape],
  ['status', '/api/status', statusShape],
])('the client expects of %s what the API sends', (_, path, shape, title) => {
  expect(findDifferences(shape, findSchema(path, title), '')).toEqual([])
})

it('expects of a removed pack what the API sends', () => {
  const page = expand(findSchema(`${list}/download`))[0]!
  const removed = expand(page.properties!['data']!.items!).find(({ title }) => title === 'Removed pack')!
  expect(findDifferences(removedShape, removed, '')).toEqual([])
})

/** The fields of the client's types. The compiler checks that none is missing and none is too many. */
const fields = {
  summary: {
    id: 1,
    slug: 1,
    title: 1,
    domain: 1,
    domain_slug: 1,
    subdomain: 1,
    version: 1,
    difficulty: 1,
    compression: 1,
    tokenizer: 1,
    token_count: 1,
    uncompressed_estimate: 1,
    savings_pct: 1,
    rosetta_tokens: 1,
    net_savings_pct: 1,
    preview_tokens: 1,
    sha256: 1,
    description: 1,
    tags: 1,
    published_at: 1,
    updated_at: 1,
  } satisfies Record<keyof PackSummary, 1>,
  hit: { pack: 1, section: 1, snippet: 1, matched: 1, also: 1, stale: 1, age: 1 } satisfies Record<
    keyof Hit,
    1
  >,
  outline: {
    id: 1,
    title: 1,
    path: 1,
    level: 1,
    tokens: 1,
    subtree_tokens: 1,
    in_preview: 1,
  } satisfies Record<keyof OutlineSection, 1>,
  usage: { tier: 1, limit: 1, used: 1, remaining: 1, reset_at: 1 } satisfies Record<keyof Usage, 1>,
  status: { mode: 1, since: 1, message: 1, retry_after: 1 } satisfies Record<keyof Status, 1>,
  version: {
    version: 1,
    published_at: 1,
    token_count: 1,
    sha256: 1,
    signers: 1,
    yanked: 1,
    yanked_reason: 1,
    stale: 1,
    age: 1,
  } satisfies Record<keyof VersionLine, 1>,
  section: {
    // `slug` is `pack` in the response, and `section` is `id`.
    slug: 1,
    section: 1,
    version: 1,
    title: 1,
    path: 1,
    content: 1,
    rosetta: 1,
    compression: 1,
    token_count: 1,
    rosetta_tokens: 1,
    uncompressed_estimate: 1,
    sha256: 1,
    stale: 1,
    age: 1,
  } satisfies Record<keyof Section, 1>,
}

type Preview = Exclude<keyof PreviewPack, keyof PackSummary | 'stale' | 'age'>
const previewFields = { preview: 1, rosetta: 1, content: 1 } satisfies Record<Preview, 1>

it('names in its types the fields that it checks, and those only', () => {
  const own = { stale: 1, age: 1 }
  const { slug: _slug, section: _section, ...section } = fields.section
  const named: readonly [Shape, object][] = [
    [(listShape as { data: [Shape] }).data[0], fields.summary],
    [(searchShape as { data: [Shape] }).data[0], fields.hit],
    [(versionsShape as { data: [Shape] }).data[0], fields.version],
    [(outlineShape as { data: [Shape] }).data[0], fields.outline],
    [previewShape, { ...fields.summary, ...previewFields }],
    [sectionShape, { ...section, pack: 1, id: 1 }],
    [usageShape, fields.usage],
    [statusShape, fields.status],
  ]
  const sort = (value: object): string[] =>
    Object.keys(value)
      .map((name) => name.replace('?', ''))
      .filter((name) => !Object.hasOwn(own, name))
      .toSorted()
  for (const [shape, names] of named) expect(sort(shape as object)).toEqual(sort(names))
})
