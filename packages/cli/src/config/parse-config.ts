import { parse, type MemberNode, type ValueNode } from '@humanwhocodes/momoa'
import { findConflict } from '@packs/client/node'
import type { CliError } from '../cli-error.ts'
import { configFailedError, invalidConfigError, type ConfigIssue } from './config-errors.ts'
import type { Position } from '../output/build-result.ts'
import type { PacksConfig } from './packs-config.ts'
import { validateConfig } from './validate-config.ts'

const HINT = 'correct this line; JSON has no comments and no comma before } or ]'
const CONFLICT_HINT = 'finish the merge: keep what you want from both sides, and remove the markers'

/**
 * Reads a configuration from JSON.
 *
 * @param key the key of the document that holds the configuration, if it is not the whole document
 * @throws CliError `config_failed` if the text is not JSON, `invalid_config` if a value is not
 *   valid
 */
export function parseConfig(text: string, shown: string, key?: string): PacksConfig {
  const json = text.replace(/^\uFEFF/, '')
  const root = parseJson(json, (message, position, isConflict) =>
    configFailedError(shown, message, isConflict ? CONFLICT_HINT : HINT, position),
  )
  const value: unknown = JSON.parse(json)
  const inner = key === undefined ? [] : [key]
  const settings = key === undefined ? value : (value as Readonly<Record<string, unknown>>)[key]
  const result = validateConfig(settings)
  const issues = [...findDuplicates(findNode(root, inner)), ...('issues' in result ? result.issues : [])]
  if (issues.length === 0 && 'config' in result) return result.config
  throw invalidConfigError(shown, issues, (issue) => findPosition(root, inner, issue))
}

/**
 * Parses JSON with the position of each value. `fail` creates the error from a message and a
 * position.
 */
export function parseJson(
  text: string,
  fail: (message: string, position: Position, isConflict: boolean) => CliError,
): ValueNode {
  try {
    const { body } = parse(text, { mode: 'json' })
    JSON.parse(text)
    return body
  } catch (error) {
    const conflict = findConflict(text)
    if (conflict !== undefined)
      throw fail('it contains git conflict markers', { line: conflict, column: 1 }, true)
    const failAt = (reason: string, line: number, column: number): CliError =>
      fail(`not valid JSON: ${reason}`, { line, column }, false)
    if (error instanceof RangeError) throw failAt('it is nested too deeply', 1, 1)
    const lines = text.split(/\r\n|\r|\n/)
    if (isCutShort(text)) throw failAt('it ends too early', lines.length, lines.at(-1)!.length + 1)
    const { message, ...position } = error as Error & Partial<Position>
    const [, atLine = 1, atColumn = 1] = / \(line (\d+) column (\d+)\)$/.exec(message) ?? []
    const { line = Number(atLine), column = Number(atColumn) } = position
    const found = Array.from(lines[line - 1]?.slice(column - 1) ?? '')[0] ?? ''
    throw failAt(`unexpected ${JSON.stringify(found)}`, line, column)
  }
}

/** At the end of a text, the parser of positions reports the last token that it read. */
function isCutShort(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    const { message } = error as Error
    const position = / at position (\d+)/.exec(message)?.[1]
    return message.includes('end of JSON input') || Number(position) >= text.length
  }
}

/** JSON keeps the last of several equal keys, so the others would be lost silently. */
function findDuplicates(node: ValueNode | undefined, path: readonly (string | number)[] = []): ConfigIssue[] {
  if (node?.type === 'Array') {
    return node.elements.flatMap(({ value }, at) => findDuplicates(value, [...path, at]))
  }
  if (node?.type !== 'Object') return []
  const seen = new Set<string>()
  return node.members.flatMap((member) => {
    const name = readKey(member)
    const inner = [...path, name]
    const isRepeated = seen.has(name)
    seen.add(name)
    const message = `the key "${inner.join('.')}" occurs twice`
    const issue = { path: inner, isKey: true, message, hint: 'keep one' }
    return [...(isRepeated ? [issue] : []), ...findDuplicates(member.value, inner)]
  })
}

function findPosition(
  root: ValueNode,
  inner: readonly string[],
  { path, isKey }: ConfigIssue,
): Position | undefined {
  const whole = [...inner, ...path]
  const last = whole.at(-1)
  const parent = isKey ? findNode(root, whole.slice(0, -1)) : undefined
  const member =
    parent?.type === 'Object' ? parent.members.findLast((each) => readKey(each) === last) : undefined
  const position = (member?.name ?? findNode(root, whole) ?? findNode(root, whole.slice(0, -1)) ?? root).loc
    .start
  return { line: position.line, column: position.column }
}

function findNode(root: ValueNode, path: readonly (string | number)[]): ValueNode | undefined {
  let node: ValueNode | undefined = root
  for (const step of path) {
    if (node?.type === 'Object') node = node.members.findLast((member) => readKey(member) === step)?.value
    else if (node?.type === 'Array') node = node.elements[Number(step)]?.value
    else return undefined
  }
  return node
}

function readKey({ name }: MemberNode): string {
  return name.type === 'String' ? name.value : name.name
}
