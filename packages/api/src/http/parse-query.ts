import type { z } from 'zod'
import { refuseParameters, type ParameterFault } from '../errors/api-error.ts'

/** Parameters that a route takes, by name. */
export type QueryShape = Readonly<Record<string, z.ZodType>>

/** The values of a query, as its schemas give them. */
export type QueryValues<Shape extends QueryShape> = { readonly [Name in keyof Shape]: z.output<Shape[Name]> }

const MOST_FAULTS = 20

/**
 * Reads the query of an address by schemas. Nothing is ignored: a parameter that is unknown, empty, given twice or
 * wrong is refused, all of them at once.
 *
 * @throws ApiError `invalid_parameter`
 */
export function parseQuery<Shape extends QueryShape>(url: string, shape: Shape): QueryValues<Shape> {
  const faults: ParameterFault[] = []
  const given = splitQuery(url, shape, faults)
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(shape)) {
    if (faults.some(({ parameter }) => parameter === name)) continue
    const parsed = schema.safeParse(given.get(name))
    if (parsed.success) values[name] = parsed.data
    else faults.push({ parameter: name, detail: parsed.error.issues[0]?.message ?? 'is not valid' })
  }
  if (faults.length > 0) throw refuseParameters(faults.slice(0, MOST_FAULTS))
  return values as QueryValues<Shape>
}

function splitQuery(url: string, shape: QueryShape, faults: ParameterFault[]): ReadonlyMap<string, string> {
  const given = new Map<string, string>()
  const start = url.indexOf('?')
  if (start < 0) return given
  const fail = (parameter: string, detail: string): void => {
    const isNew = faults.length < MOST_FAULTS && !faults.some((fault) => fault.parameter === parameter)
    if (isNew) faults.push({ parameter: parameter.slice(0, 80), detail })
  }
  for (const piece of url.slice(start + 1).split('&')) {
    if (piece === '') continue
    const middle = piece.indexOf('=')
    const rawName = middle < 0 ? piece : piece.slice(0, middle)
    const name = decodePart(rawName)
    const value = decodePart(middle < 0 ? '' : piece.slice(middle + 1))
    if (name === undefined || !Object.hasOwn(shape, name))
      fail(name ?? rawName, `is unknown; ${listNames(shape)}`)
    else if (value === undefined) fail(name, 'is not percent-encoded UTF-8')
    else if (given.has(name)) fail(name, 'is given more than once')
    else if (value === '') fail(name, 'is empty; leave it out')
    else given.set(name, value)
  }
  return given
}

function listNames(shape: QueryShape): string {
  const names = Object.keys(shape)
  return names.length === 0 ? 'this address takes none' : `this address takes ${names.join(', ')}`
}

function decodePart(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
