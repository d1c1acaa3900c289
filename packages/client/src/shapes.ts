import { VERSION_PATTERN } from '@packs/codec/internal'

/**
 * The fields of a JSON value that a program relies on: types as `typeof` names them, or `null`,
 * separated by `|`; a pattern of a string; a list with the shape of its items; an object with the
 * shapes of its fields. A field whose name ends in `?` may be null.
 */
export type Shape = string | RegExp | readonly [Shape] | { readonly [field: string]: Shape }

/**
 * Tells whether a value has a shape. Fields that the shape does not name may have any value.
 * @example
 * fits({ slug: 'a', tags: ['b'] }, { slug: 'string', tags: ['string'] }) // true
 */
export function fits(value: unknown, shape: Shape): boolean {
  if (typeof shape === 'string') return shape.split('|').includes(value === null ? 'null' : typeof value)
  if (shape instanceof RegExp) return typeof value === 'string' && shape.test(value)
  if (typeof value !== 'object' || value === null) return false
  if (isList(shape)) return Array.isArray(value) && value.every((item) => fits(item, shape[0]))
  const fields = value as Readonly<Record<string, unknown>>
  return Object.entries(shape).every(([name, inner]) => {
    const field = fields[name.replace('?', '')]
    return (field === null && name.endsWith('?')) || fits(field, inner)
  })
}

function isList(shape: Exclude<Shape, string | RegExp>): shape is readonly [Shape] {
  return Array.isArray(shape)
}

/** Of a slug, which becomes the name of a file, a key of a lock and a word in a terminal. */
export const slug: RegExp = /^(?=.{1,100}$)[a-z0-9]+(-[a-z0-9]+)*$/
/** Of a version, which becomes a key of a lock and a word in a terminal. */
export const version: RegExp = VERSION_PATTERN

/** Returns the SHA-256 of a text as UTF-8, hexadecimal, with Web Crypto. */
export async function hashText(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  let hex = ''
  for (const byte of new Uint8Array(hash)) hex += byte.toString(16).padStart(2, '0')
  return hex
}
