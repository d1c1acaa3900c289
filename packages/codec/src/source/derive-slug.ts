import { digestText } from '../pack/digests.ts'
import { fieldLimits } from '../pack/field-limits.ts'

/**
 * Derives a slug from a name as `writeSlug` does, at most 100 characters. If no character of
 * `[a-z0-9]` is left, the slug is `prefix`, a hyphen and 8 hexadecimal digits of the name's
 * SHA-256.
 */
export function deriveSlug(name: string, prefix: string): string {
  const slug = writeSlug(name.slice(0, 4 * fieldLimits.slug), prefix)
  if (slug.length <= fieldLimits.slug) return slug
  return IS_ASCII.test(name) ? slug.slice(0, fieldLimits.slug).replace(/-$/, '') : addHash(slug, name)
}

/** Derives the slug of a file that is named directly, from its name alone. */
export function deriveNameSlug(path: string, folder?: string): string {
  return avoidReserved(deriveSlug(deriveName(path, folder), 'pack'))
}

/**
 * Derives the slug of a file in a folder from its path below that folder: the slugs of its folders
 * and of its name, joined by hyphens. `index`, `_index` and `README` have the slug of their folder.
 * A slug over 100 characters is cut, and ends in a hyphen and 8 hexadecimal digits of the path's
 * SHA-256. The slug depends on the path alone, not on what else is in the folder.
 * @param slugPath the path below the folder
 * @param folder name of the folder, for an index directly in it
 */
export function derivePathSlug(slugPath: string, folder?: string): string {
  const parts = splitPath(slugPath)
  const name = removeExtension(parts.pop() ?? '')
  if (!INDEX.test(name)) parts.push(name)
  else if (parts.length === 0) parts.push(folder ?? name)
  const slug = parts.map((part) => writeSlug(part, 'pack')).join('-')
  return slug.length <= fieldLimits.slug ? avoidReserved(slug) : addHash(slug, parts.join('/'))
}

/** Ends a slug that several paths have in 8 hexadecimal digits of the path's SHA-256. */
export function addHash(slug: string, path: string): string {
  return `${slug.slice(0, fieldLimits.slug - 9).replace(/-$/, '')}-${hashName(path.normalize())}`
}

/** The file name without extension, or the name of the folder for README and index. */
export function deriveName(path: string, folder?: string): string {
  const parts = splitPath(path)
  const name = removeExtension(parts.at(-1) ?? path)
  return INDEX.test(name) ? (parts.at(-2) ?? folder ?? name) : name
}

const INDEX = /^(?:readme|_?index)$/i

function splitPath(path: string): string[] {
  return path.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..')
}

function removeExtension(name: string): string {
  return name.replace(/(?<=.)\.(?:md|markdown|mdown|mkd|mdx|txt)$/i, '')
}

let table: ((text: string) => string) | undefined

/** The table of the sounds of all letters is large, so it is loaded on demand. */
export function useTable(loaded: (text: string) => string): void {
  table = loaded
}

class TableNeeded extends Error {}

/** Calls `derive`, and again with the table if a name needs it. */
export async function withTable<Result>(derive: () => Result): Promise<Result> {
  try {
    return derive()
  } catch (error) {
    if (!(error instanceof TableNeeded)) throw error
    useTable((await import('any-ascii')).default)
    return derive()
  }
}

/**
 * Writes a name in `[a-z0-9]` and hyphens: letters of other scripts by their sound, `+` and `#` as
 * words. A name ends in 8 hexadecimal digits of its SHA-256 if a word or sign in it has no sound.
 */
function writeSlug(given: string, prefix: string): string {
  const name = given.normalize()
  let isWhole = true
  const written = name.replace(PARTS, (part) => {
    if (IS_ASCII.test(part)) return part
    if (table === undefined) throw new TableNeeded('the table of letters is not loaded')
    let sounds = ''
    for (const character of part) {
      const sound = table(character)
      // Alphabets have letters without a sound, such as those that lengthen the one before.
      if (sound === '' && SIGN.test(character)) isWhole = false
      sounds += sound
    }
    if (!WORD.test(part)) return sounds
    if (!/[a-z0-9]/i.test(sounds)) isWhole = false
    return sounds.replace(/['`]/g, '')
  })
  const slug = written
    .replace(/[+#]/g, (sign) => (sign === '+' ? '-plus-' : '-sharp-'))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return isWhole && slug !== '' ? slug : `${slug || prefix}-${hashName(name)}`
}

/** Words, and signs outside of ASCII. */
const PARTS = /[\w\p{L}\p{M}\p{N}]+|[^\0-\x7F]/gu
const IS_ASCII = /^[\0-\x7F]*$/
const WORD = /[\p{L}\p{N}]/u
/** Ideographs, and everything that is neither a letter nor invisible. */
const SIGN = /\p{Ideographic}|[^\s\p{L}\p{M}\p{N}\p{Cc}\p{Cf}]/u

function hashName(name: string): string {
  return digestText(name).slice(0, 8)
}

/** The catalog uses the URL of this slug for something else. */
function avoidReserved(slug: string): string {
  return slug === 'download' ? 'download-pack' : slug
}
