/** What a slug is: lower-case words and numbers of `[a-z0-9]` with single hyphens between them. */
export const SLUG_PATTERN: RegExp = /^[a-z0-9]+(-[a-z0-9]+)*$/
/** Characters a slug may have. */
export const MAX_SLUG = 100
/** Code points a title may have. */
export const MAX_TITLE = 300
/** Code points the name of a domain or subdomain may have. */
export const MAX_NAME = 100
/** Three numbers without leading zeros, of at most nine digits each. */
export const VERSION_PATTERN: RegExp = /^(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2}$/
/** Bytes a source may have, front matter included; so many UTF-16 units its pack's content has at most. */
export const MAX_SOURCE = 16_777_216
/** UTF-16 units of JSON a pack file may have: the largest pack with every character escaped. */
export const MAX_PACK = 134_217_728

/** How much a reader should know already. */
export type Difficulty = 'beginner' | 'intermediate' | 'advanced' | 'expert'
