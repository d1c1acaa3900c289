import { MAX_SLUG } from '../pack/field-limits.ts'
import { sha256Hex } from '../pack/sha256.ts'

/**
 * Makes a slug of a name: accents are dropped, everything but `[a-z0-9]` becomes a hyphen.
 *
 * Where nothing of `[a-z0-9]` is left it is `prefix`, a hyphen and 8 hexadecimal digits of the name's SHA-256.
 *
 * @example
 * deriveSlug('TLS Basics (2nd)', 'pack') // 'tls-basics-2nd'
 */
export function deriveSlug(name: string, prefix: string): string {
  const plain = name
    .slice(0, 4 * MAX_SLUG)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG + 1)
    .replace(/^-/, '')
    .slice(0, MAX_SLUG)
    .replace(/-$/, '')
  return plain === '' ? `${prefix}-${sha256Hex(name).slice(0, 8)}` : plain
}

/** The name that a file gives to its pack: its own without the extension, or its folder's for README and index. */
export function readFileName(path: string, folder?: string): string {
  const parts = path.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..')
  const name = (parts.at(-1) ?? path).replace(/(?<=.)\.(?:md|markdown|mdown|mkd|mdx|txt)$/i, '')
  if (!/^(?:readme|index)$/i.test(name)) return name
  return parts.at(-2) ?? folder ?? name
}
