import { parse, TomlError } from 'smol-toml'
import { findAbove } from '../../binary-search.ts'
import { frontMatterKeys } from './front-matter-schema.ts'
import {
  describeDuplicate,
  describeFault,
  type FoundText,
  type ParsedFrontMatter,
  type OwnKeyTest,
  parseJson,
  parseYaml,
} from './parse-yaml.ts'
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

/** Most levels of arrays and inline tables in TOML. */
const MAX_DEPTH = 100

/** Dates become objects with `toISOString`, whole numbers that are not exact `bigint`. */
function parseToml(text: string): ParsedFrontMatter {
  try {
    const value = parse(text, { integersAsBigInt: 'asNeeded', maxDepth: MAX_DEPTH })
    let keys: ReadonlyMap<string, FoundKey> | undefined
    return {
      value,
      findings: [],
      find(path, ofKey = false) {
        keys ??= findKeys(text)
        for (let length = path.length; length > 0; length--) {
          const found = keys.get(JSON.stringify(path.slice(0, length)))
          if (found !== undefined) return ofKey && length === path.length ? found.key : found
        }
        return { offset: 0, text: '' }
      },
    }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [reason = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n')
    const lines = text.split('\n').slice(0, error.line - 1)
    const offset = lines.reduce((sum, line) => sum + line.length + 1, error.column - 1)
    const advice = `${reason}. Write lines like title = "TLS basics", each key once.`
    return {
      isMalformed: true,
      findings: [describeFault('toml', advice, offset)],
      find: () => ({ offset, text: '' }),
    }
  }
}

interface FoundKey extends FoundText {
  readonly key: FoundText
}

/** Finds the keys and headers of a valid TOML document, with their texts, by paths as JSON. */
function findKeys(text: string): ReadonlyMap<string, FoundKey> {
  const keys = new Map<string, FoundKey>()
  const lengths = new Map<string, number>()
  let table: readonly PropertyKey[] = []
  for (const match of text.matchAll(LINE)) {
    const [all, indent = '', list, header, key = '', value = ''] = match
    const steps = Array.from(
      (header ?? key).matchAll(/[\w-]+|"([^"]*)"|'([^']*)'/g),
      ([bare, one, two]) => one ?? two ?? bare,
    )
    const name = JSON.stringify(steps)
    const count = lengths.get(name) ?? 0
    if (list !== undefined) lengths.set(name, count + 1)
    if (header !== undefined) table = list === undefined ? steps : [...steps, count]
    const path = JSON.stringify(header === undefined ? [...table, ...steps] : table)
    const start = match.index + indent.length
    const offset = header === undefined ? match.index + all.length - value.length : start
    const found = { offset, text: value.replace(/#[^]*/, '').trim(), key: { offset: start, text: key } }
    if (!keys.has(path)) keys.set(path, found)
  }
  return keys
}

/** The header of a table or of an item of a list of tables, or a key with its value. */
const LINE =
  /(?<![^\n])([ \t]*)(?:\[(\[)?([^\]\r\n]*)\]|((?:[\w-]+|"[^"\r\n]*"|'[^'\r\n]*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"\r\n]*"|'[^'\r\n]*'))*)[ \t]*=[ \t]*("""[^]*?"""|'''[^]*?'''|[^\n]*))/g
