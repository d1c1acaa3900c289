import { parse, TomlError } from 'smol-toml'
import { describeFault, type FoundText, type ParsedFrontMatter } from './parsed-front-matter.ts'

/** Most levels of arrays and inline tables in TOML. */
const MAX_DEPTH = 100

/** Dates become objects with `toISOString`, whole numbers that are not exact `bigint`. */
export function parseToml(text: string): ParsedFrontMatter {
  try {
    const value = parse(text, { integersAsBigInt: 'asNeeded', maxDepth: MAX_DEPTH })
    let positions: Map<string, KeyPosition> | undefined
    return {
      value,
      findings: [],
      find(path, key = false) {
        positions ??= indexKeys(text)
        return findNearest(positions, path, key)
      },
    }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [reason = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n')
    const offset = findLineStart(text, error.line) + error.column - 1
    const advice = `${reason}. Write lines like title = "TLS basics", each key once.`
    return {
      isMalformed: true,
      findings: [describeFault('toml', advice, offset)],
      find: () => ({ offset, text: '' }),
    }
  }
}

function findLineStart(text: string, line: number): number {
  let start = 0
  for (let count = 1; count < line; count++) start = text.indexOf('\n', start) + 1
  return start
}

interface KeyPosition {
  readonly key: FoundText
  /** Absent for the header of a table. */
  readonly value?: FoundText
}

/**
 * Finds where each key of a valid TOML document is written, by its path as JSON. What an inline
 * table or a list contains is not found: there the nearest key counts.
 */
function indexKeys(text: string): Map<string, KeyPosition> {
  const positions = new Map<string, KeyPosition>()
  const lengths = new Map<string, number>()
  const add = (path: readonly PropertyKey[], position: KeyPosition): void => {
    const name = JSON.stringify(path)
    if (!positions.has(name)) positions.set(name, position)
  }
  let table: readonly PropertyKey[] = []
  for (let start = 0, next = 0; start < text.length; start = next) {
    const lineEnd = text.indexOf('\n', start)
    const end = lineEnd === -1 ? text.length : lineEnd
    next = end + 1
    START.lastIndex = start
    const [, indent = '', header, assigned] = START.exec(text) ?? []
    const offset = start + indent.length
    if (header !== undefined) {
      const isList = header.startsWith('[[')
      const steps = splitKey(header.replace(/^\[+|(?<!\])\]+$/g, ''))
      const index = lengths.get(JSON.stringify(steps)) ?? 0
      if (isList) lengths.set(JSON.stringify(steps), index + 1)
      table = isList ? [...steps, index] : steps
      add(table, { key: { offset, text: header } })
    } else if (assigned !== undefined) {
      const valueStart = offset + assigned.length
      const value = text.slice(valueStart, end)
      const written = value.replace(/#[^]*/, '').trim()
      const key = assigned.replace(/(?<![ \t])[ \t]*=[ \t]*$/, '')
      const path = [...table, ...splitKey(key)]
      add(path, { key: { offset, text: key }, value: { offset: valueStart, text: written } })
      const quotes = /^(?:"""|''')/.exec(value)?.[0]
      if (quotes !== undefined) next = findStringEnd(text, quotes, valueStart + 3)
    }
  }
  return positions
}

/** The start of a line: its indentation, and a header, or a key with its equals sign. */
const START =
  /([ \t]*)(?:(\[[^\]\r\n]*\]+)|((?:[\w-]+|"[^"\r\n]*"|'[^'\r\n]*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"\r\n]*"|'[^'\r\n]*'))*[ \t]*=[ \t]*))?/y

function findStringEnd(text: string, quotes: string, start: number): number {
  const end = text.indexOf(quotes, start)
  return end === -1 ? text.length : end + quotes.length
}

function splitKey(key: string): string[] {
  return [...key.matchAll(/[\w-]+|"([^"]*)"|'([^']*)'/g)].map(([bare, one, two]) => one ?? two ?? bare)
}

function findNearest(
  positions: ReadonlyMap<string, KeyPosition>,
  path: readonly PropertyKey[],
  ofKey: boolean,
): FoundText {
  for (let length = path.length; length > 0; length--) {
    const position = positions.get(JSON.stringify(path.slice(0, length)))
    if (position !== undefined) {
      const wantsKey = ofKey && length === path.length
      return wantsKey ? position.key : (position.value ?? position.key)
    }
  }
  return { offset: 0, text: '' }
}
