import { MAX_METADATA, MAX_METADATA_DEPTH } from './field-limits.ts'

/** A JSON value. Strings and keys hold no lone surrogate, and numbers are finite. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object. Only read own keys: the data may have any key, even `__proto__`. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Canonical form (RFC 8785): keys sorted by UTF-16 units at every depth; without absent ones. */
export function serializeJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => serializeJson(item)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  // An object would put keys like "10" first, so the text is built by hand.
  const pairs = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${serializeJson(item)}`)
  return `{${pairs.join(',')}}`
}

export function countJsonBytes(value: unknown): number {
  return new TextEncoder().encode(serializeJson(value)).length
}

/** Describes why a value cannot be the metadata of a pack; undefined if it can. */
export function findMetadataFault(value: unknown): string | undefined {
  if (!isPlainObject(value)) return 'must be an object'
  if (Object.keys(value).length === 0) return 'must have a key, or be omitted'
  const fault = findValueFault(value, 1)
  if (fault !== undefined) return fault
  const size = countJsonBytes(value)
  return size > MAX_METADATA ? `must have at most ${MAX_METADATA} bytes, and has ${size}` : undefined
}

function findValueFault(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'boolean':
      return undefined
    case 'string':
      return /\p{Cs}/u.test(value) ? 'must hold no lone surrogate' : undefined
    case 'number':
      return Number.isFinite(value) ? undefined : 'must hold finite numbers only'
    default:
  }
  if (value === null) return undefined
  const isList = Array.isArray(value)
  if (!isList && !isPlainObject(value)) return 'must hold JSON values only'
  if (depth > MAX_METADATA_DEPTH) return `must have at most ${MAX_METADATA_DEPTH} levels`
  for (const [key, item] of Object.entries(value)) {
    const fault = (isList ? undefined : findValueFault(key, depth)) ?? findValueFault(item, depth + 1)
    if (fault !== undefined) return fault
  }
  return undefined
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Returns a name that an object has twice, of which readers would take different members. */
export function findDuplicateMember(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  for (let at = 0; at < json.length; at++) {
    const sign = json[at]
    if (sign === '{') open.push(new Set())
    else if (sign === '[') open.push(undefined)
    else if (sign === '}' || sign === ']') open.pop()
    if (sign !== '"') continue
    const start = at
    for (at = json.indexOf('"', at + 1); isEscaped(json, at); at = json.indexOf('"', at + 1));
    const names = open.at(-1)
    let next = at + 1
    while (json.charCodeAt(next) <= 32) next++
    if (names === undefined || json[next] !== ':') continue
    const name = JSON.parse(json.slice(start, at + 1)) as string
    if (names.has(name)) return name
    names.add(name)
  }
  return undefined
}

function isEscaped(json: string, at: number): boolean {
  let first = at
  while (json[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}
