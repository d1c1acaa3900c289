import { MAX_SIGNATURES } from '../signatures/pack-signature.ts'

/** Lower-case words and numbers with single hyphens between them. */
export const SLUG_PATTERN: RegExp = /^[a-z0-9]+(-[a-z0-9]+)*$/
/** Most characters of a slug and a URL, code points of texts, tags and signatures of a pack. */
export const fieldLimits: Readonly<
  Record<'slug' | 'title' | 'name' | 'description' | 'tags' | 'url' | 'signatures', number>
> = {
  slug: 100,
  title: 300,
  /** Of a domain, a subdomain or a tag. */
  name: 100,
  /** It is one line. */
  description: 1000,
  tags: 100,
  url: 2048,
  signatures: MAX_SIGNATURES,
}
/** Maximum bytes of metadata as canonical JSON in UTF-8. */
export const MAX_METADATA = 65_536
/** Most levels of objects and arrays inside each other, the outermost included. */
export const MAX_METADATA_DEPTH = 16
export const MAX_RULES = 65_536
/** Maximum bytes of a glossary as canonical JSON in UTF-8. */
export const MAX_GLOSSARY = 1_048_576
/** Maximum code points of the phrase of a glossary rule, as of an expansion. */
export const MAX_PHRASE = 4096
/** Maximum code points of the term of a glossary rule. */
export const MAX_TERM = 64
/** Maximum UTF-16 units of front matter, with everything before the body. */
export const MAX_FRONT_MATTER = 262_144
/** An absolute URL of the web, in ASCII. */
export const URL_PATTERN: RegExp = /^https?:\/\/[!-~]+$/
/** Three numbers without leading zeros, of at most nine digits each. */
export const VERSION_PATTERN: RegExp = /^(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2}$/
/** Most bytes of a source with its front matter, and UTF-16 units of a content. */
export const MAX_SOURCE = 16_777_216
/** UTF-16 units of the largest pack as JSON, every character escaped. */
export const MAX_PACK = 134_217_728

/** Makes one line without control characters of a text, as long as a title may be. */
export function cutTitle(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ').trim()
  const characters = Array.from(line.slice(0, 2 * fieldLimits.title + 2))
  return characters.length <= fieldLimits.title
    ? line
    : `${characters
        .slice(0, fieldLimits.title - 1)
        .join('')
        .trimEnd()}…`
}

/** Quotes at most 80 characters of a text, without cutting a surrogate pair. */
export function quoteFound(text: string): string {
  const cut = text.length > 80 ? `${text.slice(0, 80).replace(/[\uD800-\uDBFF]$/, '')}…` : text
  return JSON.stringify(cut)
}
