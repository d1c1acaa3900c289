import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type ParsedNode,
  parseDocument,
} from 'yaml'
import type { Finding } from './rules.ts'

/** Maximum UTF-16 units of front matter. */
const MAX_FRONT_MATTER = 262_144

/** The values of a YAML text and their offsets. */
export interface YamlResult {
  /** Absent if the YAML is invalid. Only read own keys, because maps may have any key. */
  readonly value?: Readonly<Record<string, unknown>>
  readonly faults: readonly Finding[]
  /** Offset and text of the node at `path`, or of the nearest ancestor; of the key itself if `key` is set. */
  find(path: readonly PropertyKey[], key?: boolean): { readonly offset: number; readonly text: string }
}

/** Parses YAML to plain values, with limits for its size, its depth and the expansion of aliases. */
export function parseYaml(text: string): YamlResult {
  if (text.length > MAX_FRONT_MATTER) {
    const reason = `The front matter has ${text.length} characters, more than ${MAX_FRONT_MATTER}`
    return fail({
      rule: 'front-matter-too-large',
      reason,
      hint: 'Keep a shorter glossary.',
      offset: 0,
    })
  }
  // The check for unique keys of the library is quadratic.
  const document = parseDocument(text, {
    prettyErrors: false,
    stringKeys: true,
    uniqueKeys: false,
    logLevel: 'error',
  })
  const faults = [...readFaults(document), ...findDuplicateKeys(document.contents)]
  const find: YamlResult['find'] = (path, key) => findNode(document.contents, text, path, key ?? false)
  if (faults.length > 0) return { faults, find }
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    return { value: {}, faults, find }
  }
  if (!isMap(document.contents)) {
    const reason = 'The front matter has no keys with values'
    const hint = 'Write lines like title: TLS basics; for a horizontal rule at the top of a file use ***.'
    const offset = document.contents.range?.[0] ?? 0
    return {
      faults: [...faults, { rule: 'front-matter-not-a-map', reason, hint, offset }],
      find,
    }
  }
  try {
    return { value: document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>, faults, find }
  } catch {
    const reason = 'The aliases of the front matter expand to too much, or refer to nothing'
    return fail({
      rule: 'front-matter-yaml',
      reason,
      hint: 'Write the values without aliases.',
      offset: 0,
    })
  }
}

function fail(fault: Finding): YamlResult {
  return { faults: [fault], find: () => ({ offset: 0, text: '' }) }
}

function readFaults(document: Document.Parsed): Finding[] {
  const faults: Finding[] = []
  // After an error about depth the parser only reports consequential errors.
  const exhausted = document.errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION')
  const errors = exhausted === undefined ? document.errors : [exhausted]
  for (const error of [...errors.slice(0, 20), ...document.warnings.slice(0, 20)]) {
    const isMultiple = error.code === 'MULTIPLE_DOCS'
    faults.push({
      rule: 'front-matter-yaml',
      reason: isMultiple
        ? 'The front matter has more than one YAML document'
        : error === exhausted
          ? 'The front matter is nested too deeply'
          : `The front matter is not valid YAML: ${error.message}`,
      hint: isMultiple
        ? 'Remove the --- or ... inside it.'
        : error.code === 'BLOCK_AS_IMPLICIT_KEY'
          ? 'Put a value that contains a colon in quotes.'
          : 'Check quotes, colons and indentation.',
      offset: error.pos[0],
    })
  }
  return faults
}

function findDuplicateKeys(root: Node | ParsedNode | null): Finding[] {
  const faults: Finding[] = []
  const nodes: unknown[] = [root]
  for (let node = nodes.pop(); node !== undefined && faults.length < 20; node = nodes.pop()) {
    if (isSeq(node)) for (const item of node.items) nodes.push(item)
    if (!isMap(node)) continue
    const seen = new Set<unknown>()
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? key.value : key
      if (seen.has(name) && isScalar(key)) {
        faults.push({
          rule: 'duplicate-key',
          reason: `The key ${JSON.stringify(String(name).slice(0, 80))} occurs twice`,
          hint: 'Keep one of them.',
          offset: key.range?.[0] ?? 0,
        })
      }
      seen.add(name)
      if (value !== null) nodes.push(value)
    }
  }
  return faults
}

function findNode(
  root: Node | null,
  text: string,
  path: readonly PropertyKey[],
  ofKey: boolean,
): { offset: number; text: string } {
  let place = root
  for (const [index, step] of path.entries()) {
    const node: unknown = place
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === step) : undefined
    const child = isSeq(node) ? node.items[Number(step)] : pair?.value
    const wantsKey = ofKey && index === path.length - 1
    if (!wantsKey && hasText(child)) place = child
    else {
      if (isScalar(pair?.key)) place = pair.key
      break
    }
  }
  const [start = 0, end = 0] = place?.range ?? []
  return { offset: start, text: text.slice(start, end) }
}

function hasText(node: unknown): node is Node {
  if (!isScalar(node) && !isMap(node) && !isSeq(node) && !isAlias(node)) return false
  return node.range != null && node.range[1] > node.range[0]
}
