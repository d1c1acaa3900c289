import { readdirSync, readFileSync } from 'node:fs'
import { type Node, parseSync, Visitor } from 'oxc-parser'

/** A regular expression of the source. */
export interface Expression {
  readonly file: string
  readonly line: number
  /** Pattern and flags, or the code of a call that makes one from values. */
  readonly code: string
  /** `undefined` where the pattern is made while the program runs. */
  readonly literal: { readonly source: string; readonly flags: string } | undefined
}

/** Methods of a string that make a regular expression from a text. */
const IMPLICIT = new Set(['match', 'matchAll', 'search'])

/** Lists the regular expressions of all packages and of the scripts that action.yml runs, as the parser finds them. */
export function listExpressions(): Expression[] {
  const folders = readdirSync('packages').flatMap((name) =>
    ['src', 'bin', 'assets'].map((folder) => `packages/${name}/${folder}`),
  )
  const files = folders.flatMap((folder) =>
    listFiles(folder)
      .filter((path) => /\.[jt]s$/.test(path))
      .map((path) => `${folder}/${path}`),
  )
  const scripts = [...readFileSync('action.yml', 'utf8').matchAll(/scripts\/[\w-]+\.js/g)].map(
    ([path]) => path,
  )
  return [...files, ...new Set(scripts)].flatMap((file) => readExpressions(file, readFileSync(file, 'utf8')))
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
}

/** Reads the regular expressions of one file: literals, calls of `RegExp`, and texts that a string method makes into one. */
export function readExpressions(file: string, text: string): Expression[] {
  const expressions: Expression[] = []
  const add = (node: Node, literal?: Expression['literal']): void => {
    const line = text.slice(0, node.start).split('\n').length
    expressions.push({ file, line, code: text.slice(node.start, node.end), literal })
  }
  const addCall = (node: Extract<Node, { type: 'NewExpression' | 'CallExpression' }>): void => {
    const { callee } = node
    if (callee.type === 'Identifier' && callee.name === 'RegExp') add(node)
    if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
    if (callee.property.name === 'RegExp') add(node)
    const [argument] = node.arguments
    const isText =
      argument?.type === 'TemplateLiteral' ||
      (argument?.type === 'Literal' && typeof argument.value === 'string')
    if (isText && IMPLICIT.has(callee.property.name)) add(node)
  }
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  new Visitor({
    Literal: (node) => {
      if ('regex' in node && node.regex) add(node, { source: node.regex.pattern, flags: node.regex.flags })
    },
    NewExpression: addCall,
    CallExpression: addCall,
  }).visit(program)
  return expressions
}
