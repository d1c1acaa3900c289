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
import type { Finding } from '../messages.ts'
import {
  describeDuplicate,
  failParsing,
  type FoundText,
  type ParsedFrontMatter,
} from './parsed-front-matter.ts'
import { isPlainMap } from './collect-metadata.ts'

/** Whether a key has a meaning here, by its path. */
export type OwnKeyTest = (path: readonly PropertyKey[]) => boolean

/** With limits for depth and aliases. Whole numbers become `bigint`. */
export function parseYaml(text: string, isOurs: OwnKeyTest): ParsedFrontMatter {
  const document = parseDocument(text, OPTIONS)
  const errors = readErrors(document)
  const { findings: duplicates, find } = describeNodes(document, text, isOurs)
  const findings = [...errors, ...duplicates]
  if (findings.some(({ severity }) => severity !== 'info')) return { findings, find }
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    return { value: {}, findings, find }
  }
  if (!isMap(document.contents)) {
    const reason = 'The front matter has no keys with values'
    const hint = 'Write lines like title: TLS basics; for a horizontal rule at the top of a file use ***.'
    const offset = document.contents.range?.[0] ?? 0
    return {
      findings: [...findings, { rule: 'front-matter-not-a-map', severity: 'error', reason, hint, offset }],
      find,
    }
  }
  try {
    return { value: document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>, findings, find }
  } catch {
    const reason = 'An alias in the front matter expands to too much, or refers to nothing'
    const hint = 'Write the values without aliases.'
    return failParsing({ rule: 'front-matter-yaml', reason, hint, offset: 0 })
  }
}

const OPTIONS = {
  prettyErrors: false,
  stringKeys: true,
  // The check for unique keys of the library is quadratic.
  uniqueKeys: false,
  intAsBigInt: true,
  logLevel: 'error',
} as const

function describeNodes(
  { contents }: Document.Parsed,
  text: string,
  isOurs: OwnKeyTest,
): Pick<ParsedFrontMatter, 'findings' | 'find'> {
  return {
    findings: findDuplicateKeys(contents, isOurs),
    find: (path, key) => findNode(contents, text, path, key ?? false),
  }
}

function readErrors(document: Document.Parsed): Finding[] {
  const findings: Finding[] = []
  // After an error about depth the parser only reports consequential errors.
  const exhausted = document.errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION')
  const errors = exhausted === undefined ? document.errors : [exhausted]
  for (const error of [...errors.slice(0, 20), ...document.warnings.slice(0, 20)]) {
    const isMultiple = error.code === 'MULTIPLE_DOCS'
    findings.push({
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
  return findings
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

/** Parses JSON to plain data. Positions come from the YAML parser, because JSON is YAML. */
export function parseJson(text: string, isOurs: OwnKeyTest): ParsedFrontMatter {
  try {
    const value: unknown = JSON.parse(text)
    const nodes = describeNodes(parseDocument(text, OPTIONS), text, isOurs)
    if (nodes.findings.some(({ severity }) => severity !== 'info')) return nodes
    if (isPlainMap(value)) return { value, ...nodes }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  const { offset, expected } = locateError(text)
  return failParsing({
    rule: 'front-matter-json',
    reason: `The front matter is not valid JSON: expected ${expected}`,
    hint: 'It ends with } on a line of its own. Put keys and texts in double quotes, with commas between them.',
    offset,
  })
}

/** Where a text is not JSON. The errors of `JSON.parse` say that in some runtimes only. */
function locateError(text: string): { readonly offset: number; readonly expected: string } {
  const open: string[] = []
  let state: keyof typeof EXPECTED = 'value'
  TOKEN.lastIndex = 0
  for (let at = 0; ; at = TOKEN.lastIndex) {
    const [, space = '', token = ''] = TOKEN.exec(text) ?? []
    const offset = at + space.length
    const isValue = !/^[}\]:,]?$/.test(token)
    const isClosing = token !== '' && token === open.at(-1)
    if (isClosing && (state === 'next' || state === 'first' || state === 'firstKey')) {
      open.pop()
      state = open.length === 0 ? 'end' : 'next'
    } else if (isValue && (state === 'value' || state === 'first')) {
      if (token === '{' || token === '[') open.push(token === '{' ? '}' : ']')
      state = token === '{' ? 'firstKey' : token === '[' ? 'first' : 'next'
    } else if (token.startsWith('"') && (state === 'key' || state === 'firstKey')) state = 'colon'
    else if (token === ':' && state === 'colon') state = 'value'
    else if (token === ',' && state === 'next') state = open.at(-1) === '}' ? 'key' : 'value'
    else return { offset, expected: EXPECTED[state].replace('%', open.at(-1) ?? '') }
  }
}

/** What may follow a token; `%` is the bracket that closes. */
const EXPECTED = {
  value: 'a value',
  first: 'a value or %',
  key: 'a key in double quotes',
  firstKey: 'a key in double quotes or %',
  colon: 'a colon',
  next: 'a comma or %',
  end: 'the end of the front matter',
} as const

const TOKEN =
  /([ \t\r\n]*)([{}[\]:,]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])|)/y
