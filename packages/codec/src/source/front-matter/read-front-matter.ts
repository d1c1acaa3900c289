import type { JsonObject } from '../../pack/canonical-json.ts'
import { quoteFound } from '../../pack/field-limits.ts'
import { findClosestWord, isTypingError } from '../closest-word.ts'
import type { Finding } from '../messages.ts'
import type { SourceDefaults } from '../types.ts'
import { collectMetadata, isPlainMap } from './collect-metadata.ts'
import {
  describeKeptValue,
  describeWrongValue,
  type FrontMatter,
  type FrontMatterKey,
  frontMatterKeys,
  glossaryRuleKeys,
  valueSchemas,
  type FrontMatterRule,
  isSharedKey,
} from './front-matter-schema.ts'
import type { ParsedFrontMatter } from './parse-yaml.ts'
import { parseFrontMatter } from './parse-front-matter.ts'
import type { FrontMatterLanguage } from './split-front-matter.ts'
import { CodecError } from '../../errors.ts'
import { checkEntry } from '../../rosetta/grammar.ts'

type KeyMap = NonNullable<SourceDefaults['frontMatterMap']>

export interface FrontMatterResult {
  /** Absent if the text cannot be read. */
  readonly values?: FrontMatter
  readonly findings: readonly Finding[]
  /** Offsets of values by key: `slug`, `glossary.0`, `glossary.0.term`. */
  readonly offsets: ReadonlyMap<string, number>
  readonly metadata?: JsonObject
  /** The part of the key map that took effect. */
  readonly map: KeyMap
}

/** Parses and checks a front matter. `map` reads keys under other names, or drops them. */
export function readFrontMatter(
  text: string,
  { language, map = {} }: { language: FrontMatterLanguage; map?: KeyMap | undefined },
): FrontMatterResult {
  const parsed = parseFrontMatter(text, language)
  if (parsed.value === undefined) return { findings: parsed.findings, offsets: new Map(), map: {} }
  const resolved = resolveKeys(parsed.value, map, parsed.texts)
  const findings: Finding[] = [...parsed.findings]
  for (const key of resolved.unknown.slice(0, MOST)) {
    findings.push(describeUnknownKey(key, ['pack', key], frontMatterKeys, parsed))
  }
  const values: { [key in FrontMatterKey]?: unknown } = {}
  const offsets = new Map<string, number>()
  const refused = new Set<PropertyKey>()
  for (const [key, source] of resolved.fields) {
    const { value, faults } = readValue(key, source, parsed)
    findings.push(...faults)
    if (faults.some(({ rule }) => rule === 'kept-value')) refused.add(source.path[0]!)
    if (value === undefined) continue
    values[key] = value
    addOffsets(offsets, key, value, source, parsed)
  }
  const top = parsed.value
  const others = new Set<PropertyKey>([...resolved.others, ...refused])
  const kept = Object.keys(top).filter((key) => others.has(key))
  findings.push(...describeOthers(resolved.others, resolved.fields, parsed))
  const metadata = kept.length === 0 ? undefined : collectMetadata(kept.map((key) => [key, top[key]]))
  if (typeof metadata === 'string') findings.push(describeLimit(metadata, kept[0]!, parsed))
  return {
    values: values as FrontMatter,
    findings,
    offsets,
    map: resolved.map,
    ...(typeof metadata === 'object' ? { metadata } : {}),
  }
}

/** Most findings of one kind, before messages are capped for each rule. */
const MOST = 100

/** Checks the value of one key. The value is absent if it is empty or not ours. */
function readValue(
  key: FrontMatterKey,
  { value, path, isShared }: KeySource,
  parsed: ParsedFrontMatter,
): { readonly value?: unknown; readonly faults: readonly Finding[] } {
  if ((key === 'description' || key === 'tags') && isEmptyValue(value)) return { faults: [] }
  if (key === 'slug' && value === 'download') {
    const reason = 'The slug "download" is a URL of the catalog'
    const hint = 'Choose another slug.'
    const { offset } = parsed.find(path)
    const kept = describeKeptValue(
      key,
      'slug ("download")',
      'another one: this is a URL of the catalog',
      hint,
      offset,
    )
    return { faults: [isShared ? kept : { rule: 'reserved-slug', reason, hint, offset }] }
  }
  const faults: Finding[] = []
  if (key === 'glossary' && Array.isArray(value)) {
    for (const [index, rule] of value.entries()) {
      if (!isPlainMap(rule) || faults.length >= MOST) continue
      for (const name of Object.keys(rule)) {
        if (glossaryRuleKeys.includes(name)) continue
        faults.push(describeUnknownKey(name, [...path, index, name], glossaryRuleKeys, parsed))
      }
    }
  }
  const checked = valueSchemas[key].safeParse(typeof value === 'bigint' ? Number(value) : value)
  if (!checked.success) {
    const positions = new Map(checked.error.issues.map((issue) => [issue.path.join('.'), issue.path]))
    for (const position of positions.values()) {
      faults.push(
        describeWrongValue([key, ...position], value, parsed.find([...path, ...position]), isShared),
      )
    }
    return { faults }
  }
  if (key === 'glossary') {
    const findOffset = (index: number, name: string): number => parsed.find([...path, index, name]).offset
    faults.push(...checkGlossary(checked.data as NonNullable<FrontMatter['glossary']>, findOffset))
  }
  return isEmptyValue(checked.data) ? { faults } : { value: checked.data, faults }
}

function isEmptyValue(value: unknown): boolean {
  return (
    value === null ||
    (typeof value === 'string' && value.trim() === '') ||
    (Array.isArray(value) && value.length === 0)
  )
}

function describeUnknownKey(
  key: string,
  path: readonly PropertyKey[],
  known: readonly string[],
  parsed: ParsedFrontMatter,
): Finding {
  const closest = findClosestWord(key, known)
  return {
    rule: 'unknown-key',
    reason: `Unknown key ${quoteFound(key)}, ignored`,
    hint: closest === undefined ? `Known keys are ${known.join(', ')}.` : `Did you mean "${closest}"?`,
    offset: parsed.find(path, true).offset,
  }
}

/**
 * Lists the keys for other tools in one finding, and warns of those that look like typing errors.
 * Beside the key that it looks like, one is no such error: Hugo reads both `Title` and `title`.
 */
function describeOthers(
  keys: readonly string[],
  fields: ReadonlyMap<FrontMatterKey, KeySource>,
  parsed: ParsedFrontMatter,
): Finding[] {
  const findings: Finding[] = []
  const passed: string[] = []
  for (const key of keys) {
    const meant = frontMatterKeys.find((known) => !fields.has(known) && isTypingError(key, known))
    if (key === 'pack') {
      findings.push(describeWrongValue(['pack'], parsed.value?.['pack'], parsed.find(['pack']), true))
    } else if (meant === undefined || findings.length >= MOST) passed.push(key)
    else {
      const reason = `Unknown key ${quoteFound(key)}, kept for other tools`
      const { offset } = parsed.find([key], true)
      findings.push({ rule: 'unknown-key', reason, hint: `Did you mean "${meant}"?`, offset })
    }
  }
  const [first] = passed
  if (first === undefined) return findings
  const shown = passed.slice(0, 50).map((key) => (/^[\w.-]{1,80}$/.test(key) ? key : quoteFound(key)))
  const rest = passed.length - shown.length
  findings.push({
    rule: 'passed-through',
    reason: `Passed through: ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`,
    hint: 'Nothing to do: the pack keeps these keys for other tools.',
    offset: parsed.find([first], true).offset,
    names: passed,
  })
  return findings
}

function describeLimit(limit: string, key: string, parsed: ParsedFrontMatter): Finding {
  return {
    rule: 'metadata-left-out',
    reason: `The keys for other tools are not in the pack: they ${limit}`,
    hint: 'Drop large keys with frontMatter.map, or ignore this: the front matter itself is kept.',
    offset: parsed.find([key], true).offset,
  }
}

function addOffsets(
  offsets: Map<string, number>,
  key: FrontMatterKey,
  value: unknown,
  { path }: KeySource,
  parsed: ParsedFrontMatter,
): void {
  offsets.set(key, parsed.find(path).offset)
  if (key !== 'glossary') return
  for (const [index, rule] of (value as NonNullable<FrontMatter['glossary']>).entries()) {
    offsets.set(`glossary.${index}`, parsed.find([...path, index]).offset)
    for (const name of Object.keys(rule)) {
      offsets.set(`glossary.${index}.${name}`, parsed.find([...path, index, name]).offset)
    }
  }
}

/** Checks the rules of a glossary against each other and against the limits of a header. */
function checkGlossary(
  glossary: readonly FrontMatterRule[],
  findOffset: (index: number, key: string) => number,
): Finding[] {
  const findings: Finding[] = []
  const expansions = new Map<string | undefined, number>()
  const terms = new Map<string | undefined, number>()
  const add = (index: number, key: string, reason: string, hint: string): void => {
    const offset = findOffset(index, key)
    findings.push({ rule: 'invalid-value', reason: `Rule ${index + 1} of glossary: ${reason}`, hint, offset })
  }
  for (const [index, { expansion, term, never }] of glossary.entries()) {
    const fault = findEntryFault(term ?? 'x', expansion)
    if (fault !== undefined)
      add(index, fault.code.includes('expansion') ? 'expansion' : 'term', fault.message, fault.hint)
    if (term !== undefined && never === true)
      add(index, 'never', 'a term for a phrase that is never replaced', 'Keep term or never.')
    for (const [key, value, known, way] of [
      ['expansion', expansion, expansions, 'Keep one of them.'],
      ['term', term, terms, 'Give each phrase its own.'],
    ] as const) {
      const twin = known.get(value)
      if (twin !== undefined)
        add(index, key, `${quoteFound(value!)} is the ${key} of rule ${twin + 1} already`, way)
      if (value !== undefined) known.set(value, index)
    }
  }
  return findings
}

function findEntryFault(term: string, expansion: string): CodecError | undefined {
  try {
    checkEntry({ term, expansion }, new Set(), {})
    return undefined
  } catch (error) {
    if (error instanceof CodecError) return error
    throw error
  }
}

/** A value for a key of ours, and where it is written. */
interface KeySource {
  readonly value: unknown
  readonly path: readonly PropertyKey[]
  /** Whether a value that is not ours may be meant for another tool. */
  readonly isShared: boolean
}

/** The keys of a front matter, by what they are for. */
interface ResolvedKeys {
  readonly fields: ReadonlyMap<FrontMatterKey, KeySource>
  /** Keys under `pack:` that have no meaning. */
  readonly unknown: readonly string[]
  /** Keys at the top that are not for us, in order. */
  readonly others: readonly string[]
  /** The part of the map that took effect. */
  readonly map: NonNullable<SourceDefaults['frontMatterMap']>
}

/**
 * Decides which value each key of ours has. One under `pack:` is first, then one that `map` reads
 * from another key, then one at the top, where the case of a key that other tools use too does not
 * matter. What is not read belongs to other tools, except for keys that `map` drops.
 * @param texts keys whose values are not valid, so that a wrong one is not an error
 */
function resolveKeys(
  top: Readonly<Record<string, unknown>>,
  map: NonNullable<SourceDefaults['frontMatterMap']>,
  texts: ReadonlySet<string> = new Set(),
): ResolvedKeys {
  const values = new Map(Object.entries(top))
  const fields = new Map<FrontMatterKey, KeySource>()
  const used: Record<string, string | false> = {}
  const unknown: string[] = []
  for (const [key, from] of Object.entries(map)) if (from === false && values.delete(key)) used[key] = false
  const pack = values.get('pack')
  if (isPlainMap(pack)) {
    values.delete('pack')
    for (const [key, value] of Object.entries(pack)) {
      if (isKey(key)) fields.set(key, { value, path: ['pack', key], isShared: false })
      else unknown.push(key)
    }
  }
  const take = (key: FrontMatterKey, from: string): boolean => {
    if (fields.has(key) || !values.has(from)) return false
    fields.set(key, { value: values.get(from), path: [from], isShared: isSharedKey(key) || texts.has(from) })
    return true
  }
  for (const [key, from] of Object.entries(map)) {
    if (from !== false && isKey(key) && take(key, from)) used[key] = from
  }
  for (const key of frontMatterKeys) take(key, key)
  for (const from of values.keys()) {
    const key = from.toLowerCase()
    if (isKey(key) && isSharedKey(key)) take(key, from)
  }
  const read = new Set([...fields.values()].map(({ path }) => path[0]))
  return { fields, unknown, others: [...values.keys()].filter((key) => !read.has(key)), map: used }
}

function isKey(key: string): key is FrontMatterKey {
  return (frontMatterKeys as readonly string[]).includes(key)
}
