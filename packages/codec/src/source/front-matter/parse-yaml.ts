import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type ParsedNode,
  parseDocument,
  Scalar,
  visit,
} from 'yaml'
import { findAbove } from '../../binary-search.ts'
import type { Finding } from '../messages.ts'

/** Whether a key has a meaning here, by its path. */
export type OwnKeyTest = (path: readonly PropertyKey[]) => boolean

/** With limits for depth and aliases. Whole numbers become `bigint`, and merge keys are merged. */
export function parseYaml(text: string, isOurs: OwnKeyTest): ParsedFrontMatter {
  const document = parseDocument(text, OPTIONS)
  const [error] = document.errors
  keepTagged(document, text)
  const { contents } = document
  const find: ParsedFrontMatter['find'] = (path, key) => findNode(contents, text, path, key ?? false)
  const fail = (advice: string, offset = 0): ParsedFrontMatter => ({
    isMalformed: true,
    findings: [describeFault('yaml', advice, offset)],
    find,
  })
  if (error !== undefined) return fail(ADVICE.get(error.code) ?? 'Put the value in quotes.', error.pos[0])
  const findings = findDuplicateKeys(contents, isOurs)
  if (findings.some(({ severity }) => severity !== 'info')) return { findings, find }
  if (contents === null || (isScalar(contents) && contents.value === null))
    return { value: {}, findings, find }
  if (!isMap(contents)) return fail('Write lines like title: TLS basics.')
  try {
    return { value: document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>, findings, find }
  } catch {
    return fail('Put a value that begins with * in quotes, or write shorter values than the aliases give.')
  }
}

const ADVICE: ReadonlyMap<string, string> = new Map([
  ['MULTIPLE_DOCS', 'Remove the --- or ... inside it.'],
  ['BLOCK_AS_IMPLICIT_KEY', 'Put a value that contains a colon in quotes.'],
  ['MISSING_CHAR', 'Close the quote or the bracket.'],
  ['TAB_AS_INDENT', 'Indent with spaces, not with tabs.'],
])

const OPTIONS = {
  prettyErrors: false,
  stringKeys: true,
  // The check for unique keys of the library is quadratic.
  uniqueKeys: false,
  intAsBigInt: true,
  merge: true,
  logLevel: 'error',
} as const

/** Replaces values that have a tag of another tool by their text, tag included. */
function keepTagged(document: Document.Parsed, text: string): void {
  const unknown = document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED')
  if (unknown.length === 0) return
  const tags = new Set(unknown.map(({ message }) => message.replace('Unresolved tag: ', '')))
  const starts = unknown.map(({ pos }) => pos[0]).toSorted((a, b) => a - b)
  visit(document, {
    Value(role, node) {
      if (role === 'key' || !tags.has(node.tag ?? '') || node.range == null) return undefined
      const [from, end, last] = node.range
      const start = starts[findAbove(starts, from) - 1] ?? from
      const kept = new Scalar(text.slice(start, end).trim())
      kept.range = [start, end, last]
      return kept
    },
  })
}

function findDuplicateKeys(root: Node | ParsedNode | null, isOurs: OwnKeyTest): Finding[] {
  const findings: Finding[] = []
  // Keys of ours are at most two maps and a list deep, so that deeper paths need no further steps.
  const nodes: { readonly node: unknown; readonly path: readonly PropertyKey[] }[] = [
    { node: root, path: [] },
  ]
  for (let next = nodes.pop(); next !== undefined; next = nodes.pop()) {
    const { node, path } = next
    const extend = (step: PropertyKey): readonly PropertyKey[] => (path.length < 5 ? [...path, step] : path)
    if (isSeq(node))
      for (const [index, item] of node.items.entries()) nodes.push({ node: item, path: extend(index) })
    if (!isMap(node)) continue
    const seen = new Set<unknown>()
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? key.value : key
      // Of a merge key.
      if (typeof name === 'symbol') continue
      const position = extend(String(name))
      if (seen.has(name) && isScalar(key) && (findings.length < 100 || isOurs(position))) {
        findings.push(describeDuplicate(String(name), isOurs(position), key.range?.[0] ?? 0))
      }
      seen.add(name)
      if (value !== null) nodes.push({ node: value, path: position })
    }
  }
  return findings
}

function findNode(root: Node | null, text: string, path: readonly PropertyKey[], ofKey: boolean): FoundText {
  let position = root
  for (const [index, step] of path.entries()) {
    const node: unknown = position
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === step) : undefined
    const child = isSeq(node) ? node.items[Number(step)] : pair?.value
    const wantsKey = ofKey && index === path.length - 1
    if (!wantsKey && hasText(child)) position = child
    else {
      if (isScalar(pair?.key)) position = pair.key
      break
    }
  }
  const [start = 0, end = 0] = position?.range ?? []
  return { offset: start, text: text.slice(start, end) }
}

function hasText(node: unknown): node is Node {
  if (!isScalar(node) && !isMap(node) && !isSeq(node) && !isAlias(node)) return false
  return node.range != null && node.range[1] > node.range[0]
}

/** JSON is YAML, which allows more. Positions come from there. */
export function parseJson(text: string, isOurs: OwnKeyTest): ParsedFrontMatter {
  const yaml = parseYaml(text, isOurs)
  try {
    const value = JSON.parse(text) as Record<string, unknown>
    // YAML has a limit for depth, and no value if a key of ours is repeated.
    if (yaml.isMalformed) return { value, findings: [], find: yaml.find }
    return yaml.value === undefined ? yaml : { ...yaml, value }
  } catch {
    const { isMalformed = false, findings } = yaml
    const advice = 'Put keys and texts in double quotes, with commas between them.'
    const fault = describeFault('json', advice, isMalformed ? findings[0]!.offset : 0)
    return { ...yaml, findings: [fault, ...findings.slice(Number(isMalformed))] }
  }
}

/** The values of a front matter as plain data, and where they are written. */
export interface ParsedFrontMatter {
  /** Absent if the text is invalid. Only read own keys, because the data may have any key. */
  readonly value?: Readonly<Record<string, unknown>>
  readonly isMalformed?: boolean
  /** Keys whose values were read as text; absent if the whole is valid. */
  readonly texts?: ReadonlySet<string>
  readonly findings: readonly Finding[]
  /** Where the value at `path` is written, or its key, or what is nearest to it. */
  readonly find: (path: readonly PropertyKey[], key?: boolean) => FoundText
}

/** A UTF-16 offset in the front matter, and its text if that is known, else empty. */
export interface FoundText {
  readonly offset: number
  readonly text: string
}

export function describeFault(language: 'yaml' | 'toml' | 'json', hint: string, offset: number): Finding {
  const reason = `The front matter is not valid ${language.toUpperCase()}, so each key was read on its own`
  return { rule: `front-matter-${language}`, reason, hint, offset }
}

/** A key of ours must be clear. Of others the last is kept, as most tools do. */
export function describeDuplicate(name: string, isOurs: boolean, offset: number): Finding {
  const reason = `The key ${JSON.stringify(name.slice(0, 80))} occurs twice`
  return {
    rule: 'duplicate-key',
    ...(isOurs ? {} : { severity: 'info', names: [name.slice(0, 80)] }),
    reason: isOurs ? reason : `${reason}; the last value is kept`,
    hint: 'Keep one of them.',
    offset,
  }
}
