import { digestText } from '../pack/digests.ts'
import { fieldLimits } from '../pack/field-limits.ts'

/**
 * Derives a slug from a name: accents are dropped, and everything except `[a-z0-9]` becomes a
 * hyphen. If no character of `[a-z0-9]` is left, the slug is `prefix`, a hyphen and 8 hexadecimal
 * digits of the name's SHA-256.
 */
export function deriveSlug(name: string, prefix: string): string {
  const plain = hyphenate(name.slice(0, 4 * fieldLimits.slug))
    .slice(0, fieldLimits.slug)
    .replace(/-$/, '')
  return plain === '' ? `${prefix}-${hashName(name)}` : plain
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
  const slug = parts.map((part) => hyphenate(part) || `pack-${hashName(part)}`).join('-')
  if (slug.length <= fieldLimits.slug) return avoidReserved(slug)
  return `${slug.slice(0, fieldLimits.slug - 9).replace(/-$/, '')}-${hashName(parts.join('/'))}`
}

/**
 * Derives the name of a pack from its path: the file name without extension, or the folder's name
 * for README and index.
 */
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

function hyphenate(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

function hashName(name: string): string {
  return digestText(name).slice(0, 8)
}

/** The catalog uses the URL of this slug for something else. */
function avoidReserved(slug: string): string {
  return slug === 'download' ? 'download-pack' : slug
}
