import { parse, type MemberNode, type ValueNode } from '@humanwhocodes/momoa'
import { findConflict } from '@packs/codec/verify'
import { configFailedError, invalidConfigError, type ConfigIssue } from './config-errors.ts'
import type { Position } from '../output/build-result.ts'
import type { PacksConfig } from './packs-config.ts'
import { validateConfig } from './validate-config.ts'

/**
 * Reads a configuration from JSON.
 *
 * @param key the key of the document that holds the configuration, if it is not the whole document
 * @throws CliError `config_failed` if the text is not JSON, `invalid_config` if a value is not valid
 */
export function parseConfig(text: string, shown: string, key?: string): PacksConfig {
  const { root, value } = parseJson(text.replace(/^\uFEFF/, ''), shown)
  const inner = key === undefined ? [] : [key]
  const settings = key === undefined ? value : (value as Readonly<Record<string, unknown>>)[key]
  const result = validateConfig(settings)
  const issues = [...findDuplicates(findNode(root, inner)), ...('issues' in result ? result.issues : [])]
  if (issues.length === 0 && 'config' in result) return result.config
  throw invalidConfigError(shown, issues, (issue) => findPlace(root, inner, issue))
}

function parseJson(text: string, shown: string): { readonly root: ValueNode; readonly value: unknown } {
  try {
    return { root: parse(text, { mode: 'json' }).body, value: JSON.parse(text) as unknown }
  } catch (error) {
    const conflict = findConflict(text)
    if (conflict !== undefined) {
      const advice = 'finish the merge: keep what you want of both sides, and remove the markers'
      throw configFailedError(shown, 'it has conflict markers of git', advice, { line: conflict, column: 1 })
    }
    const { message, line, column } = error as Error & Partial<Position>
    const [, atLine, atColumn] = / \(line (\d+) column (\d+)\)$/.exec(message) ?? []
    const place = { line: line ?? Number(atLine ?? 1), column: column ?? Number(atColumn ?? 1) }
    const found = Array.from(text.split(/\r\n|\r|\n/)[place.line - 1]?.slice(place.column - 1) ?? '')[0]
    const reason = found === undefined ? 'it ends too early' : `unexpected ${JSON.stringify(found)}`
    const hint = 'correct this place; JSON has no comments and no comma before } or ]'
    throw configFailedError(shown, `not valid JSON: ${reason}`, hint, place)
  }
}

/** JSON keeps the last of several equal keys, so that the others would be lost without a word. */
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

function findPlace(
  root: ValueNode,
  inner: readonly string[],
  { path, isKey }: ConfigIssue,
): Position | undefined {
  const whole = [...inner, ...path]
  const last = whole.at(-1)
  const parent = isKey ? findNode(root, whole.slice(0, -1)) : undefined
  const member =
    parent?.type === 'Object' ? parent.members.findLast((each) => readKey(each) === last) : undefined
  const place = (member?.name ?? findNode(root, whole) ?? findNode(root, whole.slice(0, -1)) ?? root).loc
    .start
  return { line: place.line, column: place.column }
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
