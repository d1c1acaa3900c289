import { findAbove } from '../../binary-search.ts'
import { frontMatterKeys } from './front-matter-schema.ts'
import { describeDuplicate, type ParsedFrontMatter } from './parsed-front-matter.ts'
import { type OwnKeyTest, parseJson, parseYaml } from './parse-yaml.ts'
import { parseToml } from './parse-toml.ts'
import type { FrontMatterLanguage } from './split-front-matter.ts'

/** Line ends become those of all languages. If there is no value, keys of ours are repeated. */
export function parseFrontMatter(text: string, language: FrontMatterLanguage): ParsedFrontMatter {
  const plain = text.replace(/\r(?=\r\n)/g, '').replace(/\r(?!\n)/g, '\n')
  const strict =
    language === 'toml'
      ? parseToml(plain)
      : language === 'json'
        ? parseJson(plain, isOurs)
        : parseYaml(plain, isOurs)
  const parsed = strict.isMalformed ? readByKey(plain, language, strict) : strict
  if (plain.length === text.length) return parsed
  const removed = Array.from(text.matchAll(/\r(?=\r\n)/g), ({ index }, at) => index - at)
  const locate = <Place extends { readonly offset: number }>(place: Place): Place => ({
    ...place,
    offset: place.offset + findAbove(removed, place.offset),
  })
  return {
    ...parsed,
    findings: parsed.findings.map(locate),
    find: (path, ofKey) => locate(parsed.find(path, ofKey)),
  }
}

const isOurs: OwnKeyTest = ([first, ...rest]) =>
  first === 'pack' ||
  first === 'glossary' ||
  (rest.length === 0 && (frontMatterKeys as readonly PropertyKey[]).includes(first!))

/**
 * Reads each key that begins a line on its own, where the whole is not valid. A value that is not
 * valid either is the text of its line, without quotes.
 * @param failed the result of reading the whole
 */
function readByKey(
  text: string,
  language: FrontMatterLanguage,
  failed: ParsedFrontMatter,
): ParsedFrontMatter {
  const findings = [...failed.findings]
  const values = new Map<string, unknown>()
  const finders = new Map<PropertyKey, ParsedFrontMatter['find']>()
  const texts = new Set<string>()
  const keys = listKeys(text, language)
  for (const [at, { name, start, from }] of keys.entries()) {
    const lines = text.slice(
      start,
      keys[at + 1]?.start ?? (language === 'json' ? text.lastIndexOf('}') : text.length),
    )
    // The lines of a member of an object are YAML.
    const chunk = language === 'json' ? lines.trimEnd().replace(/,$/, '') : lines
    const { value, find } = language === 'toml' ? parseToml(chunk) : parseYaml(chunk, isOurs)
    const read = value ?? (name === undefined ? {} : { [name]: readLine(chunk.slice(from - start)) })
    for (const [key, found] of Object.entries(read)) {
      if (values.has(key) && (findings.length < 100 || isOurs([key])))
        findings.push(describeDuplicate(key, isOurs([key]), start))
      values.set(key, found)
      if (value === undefined) texts.add(key)
      const move = (offset: number): number => start + (value === undefined ? 0 : offset)
      finders.set(key, (...path) => ({ text: '', offset: move(find(...path).offset) }))
    }
  }
  return {
    value: Object.fromEntries(values),
    findings,
    find: (path, ofKey) => finders.get(path[0]!)?.(path, ofKey) ?? { offset: 0, text: '' },
    texts,
  }
}

interface KeyLine {
  /** Absent for the header of a table. */
  readonly name?: string | undefined
  readonly start: number
  /** Where the value begins. */
  readonly from: number
}

function listKeys(text: string, language: FrontMatterLanguage): readonly KeyLine[] {
  let indent: string | undefined
  let isInTable = false
  const keys: KeyLine[] = []
  for (const { 0: found, 1: space = '', 2: one, 3: two, 4: bare, index } of text.matchAll(KEY)) {
    const name = one ?? two ?? bare?.trim()
    const isHeader = name === undefined && language === 'toml'
    isInTable ||= isHeader
    if (space !== (indent ??= space) || (isInTable && !isHeader)) continue
    keys.push({ name, start: index + space.length, from: index + found.length })
  }
  return keys
}

/** A key in one of three forms with its indentation, or the start of the header of a table. */
const KEY =
  /(?<=^|\n)([ \t]*)(?:"([^"\n]+)"[ \t]*[:=]|'([^'\n]+)'[ \t]*[:=]|([^\s#:="'[\]{}-](?:[^\n:=]|:(?=\S))*)(?::(?=\s|$)|=)|\[)/g

function readLine(text: string): string {
  const [line = ''] = text.split('\n', 1)
  const comment = line.search(/\s#/)
  return line
    .slice(0, comment === -1 ? line.length : comment)
    .trim()
    .replace(/^(?:"([^"]*)"|'([^']*)')$/, '$1$2')
}
