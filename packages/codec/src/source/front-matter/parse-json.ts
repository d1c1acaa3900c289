import { isPlainMap } from './collect-metadata.ts'
import { type OwnKeyTest, readNodes } from './parse-yaml.ts'
import { failParsing, type ParsedFrontMatter } from './parsed-front-matter.ts'

/** Parses JSON to plain data. Places come from the YAML parser, because JSON is YAML. */
export function parseJson(text: string, isOurs: OwnKeyTest): ParsedFrontMatter {
  try {
    const value: unknown = JSON.parse(text)
    const nodes = readNodes(text, isOurs)
    if (nodes.findings.some(({ severity }) => severity !== 'warning')) return nodes
    if (isPlainMap(value)) return { value, ...nodes }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  const { offset, expected } = locateError(text)
  return failParsing({
    rule: 'front-matter-json',
    reason: `The front matter is not valid JSON: expected ${expected}`,
    hint: 'A line } alone ends it. Put keys and texts in double quotes, with a comma between two of them.',
    offset,
  })
}

/** The first place at which a text is not JSON. The errors of `JSON.parse` name it in some runtimes only. */
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

/** What may stand after a token; `%` is the bracket that closes. */
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
