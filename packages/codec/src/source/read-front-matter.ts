import { CodecError } from '../errors.ts'
import { quoteFound } from '../pack/pack-error.ts'
import { checkEntry } from '../rosetta/check-entry.ts'
import { findClosestWord } from './closest-word.ts'
import {
  expectedValues,
  type FrontMatter,
  frontMatterKeys,
  type FrontMatterRule,
  frontMatterSchema,
  glossaryRuleKeys,
} from './front-matter-schema.ts'
import { parseYaml, type YamlResult } from './parse-yaml.ts'
import type { Finding } from './rules.ts'

/** The result of {@link readFrontMatter}. */
export interface FrontMatterResult {
  /** Absent if a value is invalid. */
  readonly values?: FrontMatter
  readonly findings: readonly Finding[]
  /** Offsets of values by key: `slug`, `glossary.0`, `glossary.0.term`. */
  readonly offsets: ReadonlyMap<string, number>
}

/** Parses and checks the YAML of a front matter, and collects all problems. */
export function readFrontMatter(text: string): FrontMatterResult {
  const yaml = parseYaml(text)
  const findings: Finding[] = yaml.faults.map((fault) => fault)
  if (yaml.value === undefined) return { findings, offsets: new Map() }
  findings.push(...findUnknownKeys(yaml.value, [], frontMatterKeys, yaml))
  const { glossary } = yaml.value
  if (Array.isArray(glossary)) {
    for (const [index, rule] of glossary.entries()) {
      findings.push(...findUnknownKeys(rule, ['glossary', index], glossaryRuleKeys, yaml))
    }
  }
  if (yaml.value.slug === 'download') {
    const reason = 'The slug "download" is an address of the catalog'
    findings.push({
      rule: 'reserved-slug',
      reason,
      hint: 'Choose another slug.',
      offset: yaml.find(['slug']).offset,
    })
  }
  const parsed = frontMatterSchema.safeParse(yaml.value)
  if (!parsed.success) {
    const paths = new Map(parsed.error.issues.map(({ path }) => [path.join('.'), path]))
    for (const path of paths.values()) findings.push(describeWrongValue(path, yaml))
    return { findings, offsets: new Map() }
  }
  findings.push(...checkGlossary(parsed.data.glossary ?? [], yaml))
  return { values: parsed.data, findings, offsets: collectOffsets(parsed.data, yaml) }
}

function findUnknownKeys(
  value: unknown,
  path: readonly PropertyKey[],
  known: readonly string[],
  yaml: YamlResult,
): Finding[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const findings: Finding[] = []
  for (const key of Object.keys(value)) {
    if (known.includes(key) || findings.length >= 100) continue
    const closest = findClosestWord(key, known)
    findings.push({
      rule: 'unknown-key',
      reason: `Unknown key ${quoteFound(key)}, ignored`,
      hint: closest === undefined ? `Known keys are ${known.join(', ')}.` : `Did you mean "${closest}"?`,
      offset: yaml.find([...path, key], true).offset,
    })
  }
  return findings
}

function describeWrongValue(path: readonly PropertyKey[], yaml: YamlResult): Finding {
  const key = path.map((step) => (typeof step === 'number' ? '*' : String(step))).join('.')
  const [expected, hint] = expectedValues.get(key) ?? ['another value', '']
  const value = path.reduce<unknown>(
    (parent, step) => (parent as Record<PropertyKey, unknown> | undefined)?.[step],
    yaml.value,
  )
  const { offset, text } = yaml.find(path)
  return {
    rule: 'invalid-value',
    reason: `${nameValue(path)} must be ${expected}; found ${describeValue(value, text)}`,
    hint: hint + suggestValue(expected, value),
    offset,
  }
}

function nameValue(path: readonly PropertyKey[]): string {
  const [first, index, last] = path
  if (typeof index !== 'number') return String(first)
  return last === undefined
    ? `Rule ${index + 1} of ${String(first)}`
    : `${String(last)} of rule ${index + 1} of ${String(first)}`
}

/** Describes the value as it is written: an unquoted number shows its own digits, not its parsed value. */
function describeValue(value: unknown, text: string): string {
  if (value === undefined || value === null) return 'nothing'
  if (typeof value === 'string') return quoteFound(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map of keys'
  return `the ${typeof value} ${text.slice(0, 80)}`
}

function suggestValue(expected: string, value: unknown): string {
  if (!expected.startsWith('one of ') || typeof value !== 'string') return ''
  const closest = findClosestWord(value, expected.slice('one of '.length).split(', '))
  return closest === undefined ? '' : ` Did you mean "${closest}"?`
}

function collectOffsets(values: FrontMatter, yaml: YamlResult): Map<string, number> {
  const offsets = new Map<string, number>()
  for (const key of Object.keys(values)) offsets.set(key, yaml.find([key]).offset)
  for (const [index, rule] of (values.glossary ?? []).entries()) {
    offsets.set(`glossary.${index}`, yaml.find(['glossary', index]).offset)
    for (const key of Object.keys(rule)) {
      offsets.set(`glossary.${index}.${key}`, yaml.find(['glossary', index, key]).offset)
    }
  }
  return offsets
}

/** Checks the rules of a glossary against each other and against the limits of a header. */
function checkGlossary(glossary: readonly FrontMatterRule[], yaml: YamlResult): Finding[] {
  const findings: Finding[] = []
  const expansions = new Map<string, number>()
  const terms = new Map<string, number>()
  const add = (index: number, key: string, reason: string, hint: string): void => {
    const { offset } = yaml.find(['glossary', index, key])
    findings.push({ rule: 'invalid-value', reason: `Rule ${index + 1} of glossary: ${reason}`, hint, offset })
  }
  for (const [index, { expansion, term, never }] of glossary.entries()) {
    const fault = findEntryFault(term ?? 'x', expansion)
    if (fault !== undefined)
      add(index, fault.code.includes('expansion') ? 'expansion' : 'term', fault.message, fault.hint)
    if (term !== undefined && never === true)
      add(index, 'never', 'a term for a phrase that is never replaced', 'Keep term or never.')
    const twin = expansions.get(expansion)
    if (twin !== undefined) {
      add(
        index,
        'expansion',
        `${quoteFound(expansion)} is the expansion of rule ${twin + 1} already`,
        'Keep one of them.',
      )
    }
    expansions.set(expansion, index)
    if (term === undefined) continue
    const rival = terms.get(term)
    if (rival !== undefined)
      add(
        index,
        'term',
        `${quoteFound(term)} is the term of rule ${rival + 1} already`,
        'Give each phrase its own.',
      )
    terms.set(term, index)
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
