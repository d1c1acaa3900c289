import { createHash } from 'node:crypto'
import { systemPrompt } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import { describeSource } from './describe-source.ts'

/** An Agent Skill: a folder with this name and the file `SKILL.md`. */
export interface Skill {
  readonly name: string
  readonly description: string
  /** Text of the file. */
  readonly text: string
  /** What of the file is loaded when the skill is used. */
  readonly body: string
}

/** Limits of the specification of Agent Skills (agentskills.io), for characters of any kind. */
const MAX_NAME = 64
const MAX_DESCRIPTION = 1024

/**
 * Creates the file of an Agent Skill from a pack.
 *
 * @param source decoded text of the pack
 * @param isCompressed whether the content is written as the pack has it, after its header
 */
export function createSkill(pack: Pack, source: string, isCompressed: boolean): Skill {
  const name = createName(pack.slug)
  const description = createDescription(pack, source)
  const body = isCompressed ? systemPrompt([pack]).text : source.replace(/^\uFEFF/, '')
  const metadata = {
    pack: pack.slug,
    'pack-version': pack.version,
    'pack-digest': pack.pack_digest,
  }
  const lines = [
    '---',
    `name: ${quote(name)}`,
    `description: ${quote(description)}`,
    'metadata:',
    ...Object.entries(metadata).map(([key, value]) => `  ${key}: ${quote(value)}`),
    '---',
    '',
  ]
  return { name, description, text: seal(lines, body), body }
}

/** Key of the digest of a file that was written here. It covers all other lines. */
const SEAL = '  file-digest: '

/** Adds the digest of the file, by which a file that was changed since can be told. */
function seal(lines: readonly string[], body: string): string {
  const end = lines.lastIndexOf('---')
  const line = `${SEAL}${quote(digest(`${lines.join('\n')}\n${body}`))}`
  return `${[...lines.slice(0, end), line, ...lines.slice(end)].join('\n')}\n${body}`
}

/** Tells whether a text is a file of {@link createSkill} that nobody has changed. */
export function isSealed(text: string): boolean {
  const start = text.indexOf(`\n${SEAL}`)
  if (start < 0) return false
  const end = text.indexOf('\n', start + 1)
  const found = text.slice(start + 1 + SEAL.length, end)
  return found === quote(digest(text.slice(0, start) + text.slice(end)))
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** A slug has the letters that a name may have, but may be longer: the name ends with a whole word. */
function createName(slug: string): string {
  if (slug.length <= MAX_NAME) return slug
  const cut = slug.slice(0, MAX_NAME + 1)
  return cut.includes('-') ? cut.slice(0, cut.lastIndexOf('-')) : slug.slice(0, MAX_NAME)
}

/** Returns the description of the pack, else its title and first paragraph, else its title; on one line. */
function createDescription({ description, title, slug }: Pack, source: string): string {
  const texts = [description ?? '', introduce(flatten(title), describeSource(source)), title, slug]
  const text = texts.map(flatten).find((one) => one !== '') ?? slug
  if (text.length <= MAX_DESCRIPTION) return text
  const cut = text.slice(0, MAX_DESCRIPTION - 1).replace(/[\uD800-\uDBFF]$/, '')
  const end = cut.lastIndexOf(' ')
  return `${(end > MAX_DESCRIPTION / 2 ? cut.slice(0, end) : cut).trimEnd()}…`
}

/** Some programs refuse descriptions with tags of XML, so the brackets of tags are replaced. */
function flatten(text: string): string {
  return text
    .replace(/<([/!?]?[a-z-][^<>]*)>/gi, '‹$1›')
    .replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ')
    .trim()
}

/** Begins a paragraph with the title where it does not name it. */
function introduce(title: string, paragraph: string): string {
  const isNamed = paragraph.toLowerCase().includes(title.toLowerCase())
  return paragraph === '' || isNamed ? paragraph : `${title.replace(/[:.]$/, '')}: ${paragraph}`
}

/** A text in the quotes of JSON is one of YAML too, if characters that YAML does not print are escaped. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
