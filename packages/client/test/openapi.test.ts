import { expect, it } from 'vitest'
import { startApi } from '../../test-kit/test/start-api.ts'
import {
  shapeOfPackPreview,
  shapeOfPackSection,
  shapeOfStatus,
  shapeOfUsage,
} from '../src/generated/shapes.ts'
import type { Shape } from '../src/shapes.ts'
import {
  downloadShape,
  listShape,
  outlineShape,
  removedShape,
  searchShape,
  versionsShape,
} from '../src/requests/load.ts'

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

const api = await startApi()
const document = JSON.parse((await api.request('/openapi.json')).text) as OpenApi

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
  ['preview', `${list}/{id}`, shapeOfPackPreview, 'Preview of a pack'],
  ['versions', `${list}/{id}/versions`, versionsShape],
  ['outline', `${list}/{id}/sections`, outlineShape],
  ['section', `${list}/{id}/sections/{section}`, shapeOfPackSection],
  ['download', `${list}/download`, downloadShape],
  ['usage', '/api/v1/usage', shapeOfUsage],
  ['status', '/api/status', shapeOfStatus],
])('the client expects of %s what the API sends', (_, path, shape, title) => {
  expect(findDifferences(shape, findSchema(path, title), '')).toEqual([])
})

it('expects of a removed pack what the API sends', () => {
  const page = expand(findSchema(`${list}/download`))[0]!
  const removed = expand(page.properties!['data']!.items!).find(({ title }) => title === 'Removed pack')!
  expect(findDifferences(removedShape, removed, '')).toEqual([])
})
