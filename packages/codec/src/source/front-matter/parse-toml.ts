import { parse, TomlError } from 'smol-toml'
import { describeFault, type FoundText, type ParsedFrontMatter } from './parsed-front-matter.ts'

/** Most levels of arrays and inline tables in TOML. */
const MAX_DEPTH = 100

/** Dates become objects with `toISOString`, whole numbers that are not exact `bigint`. */
export function parseToml(text: string): ParsedFrontMatter {
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

/**
 * Finds the keys and headers of a valid TOML document by their paths as JSON, each with the text of
 * its value. Of what an inline table or a list contains, the nearest key counts.
 */
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
