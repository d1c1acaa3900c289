import * as z from 'zod'
import {
  DIALECTS,
  findClosestWord,
  findScheme,
  fieldLimits,
  MINIFY_RULES,
  SCHEME_NAMES,
  suggestScheme,
  URL_PATTERN,
} from '@packs/codec/internal'
import { CHOICES, EXTENSION_PATTERN } from '../input/options.ts'
import { type ConfigIssue, configFailedError, invalidConfigError, type CliError } from '../cli-error.ts'
import type { PacksConfig, Prepare } from './packs-config.ts'
import { parse, type MemberNode, type ValueNode } from '@humanwhocodes/momoa'
import { findConflict } from '@packs/client/node'
import type { Position } from '@packs/files'

// As code points, because not every implementation of JSON Schema supports \p.
const NO_CONTROL = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/
const name = z.string().trim().min(1).max(100).regex(NO_CONTROL)
const path = z.string().min(1).max(4096).regex(NO_CONTROL)
const difficulty = z.enum(CHOICES.difficulty)
const BY_GLOB = 'one value, or values by glob, file or folder; the last one that fits counts'

const ruleShape = {
  expansion: z.string().min(1).describe('The phrase as it occurs in the texts'),
  term: z.string().min(1).optional().describe('What replaces the phrase; chosen if absent'),
  never: z.boolean().optional().describe('true: the phrase is never replaced'),
}
const mapShape = {
  map: z
    .record(z.string(), z.union([z.string().min(1), z.literal(false)]))
    .optional()
    .describe('Reads a field from another key (title: "name"), or drops a key (weight: false)'),
}

const worthShape = {
  percent: z.number().min(0).max(100).describe('Percent of the source'),
  tokens: z.int().min(0).describe('Tokens'),
}

const dialect = z.enum(DIALECTS)
const dialects = z.array(dialect).max(DIALECTS.length)
const minifyShape = {
  dialect: dialects.exactOptional().describe('Dialects of pages that the key dialect does not name'),
  off: z
    .array(z.enum(MINIFY_RULES))
    .max(MINIFY_RULES.length)
    .exactOptional()
    .describe('Rules that are not applied'),
}

const shape = {
  $schema: z.string().optional().describe('Address of this schema'),
  sources: z
    .array(path.regex(/[^-]/))
    .min(1)
    .max(10_000)
    .optional()
    .describe('Files, folders and globs to build when the command names none'),
  out: path.optional().describe('Folder for the packs'),
  scheme: z.enum(SCHEME_NAMES).optional().describe('Compression scheme of sources that name none'),
  domain: byGlob(name).optional().describe(`Domain: ${BY_GLOB}`),
  subdomain: byGlob(name).optional().describe(`Subdomain: ${BY_GLOB}`),
  difficulty: byGlob(difficulty).optional().describe(`Difficulty: ${BY_GLOB}`),
  dialect: byGlob(z.union([dialect, dialects]))
    .optional()
    .describe(`Dialect or dialects, in place of what the files above a page show: ${BY_GLOB}`),
  minify: z.strictObject(minifyShape).optional().describe('How texts are minified'),
  base_url: z
    .string()
    .max(fieldLimits.url)
    .regex(URL_PATTERN)
    .regex(/^[^?#]*$/)
    .optional()
    .describe('URL of the folder of the pages, from which each page gets its own'),
  frontMatter: z.strictObject(mapShape).optional().describe('How front matter of another tool is read'),
  glossary: z
    .array(z.strictObject(ruleShape))
    .max(65_536)
    .optional()
    .describe('Rules for phrases of every source'),
  budget: z.int().min(1).optional().describe('Maximum tokens of a pack, header included'),
  minSavings: z.number().max(100).optional().describe('Packs with lower net savings fail, in percent'),
  worthHeader: z
    .strictObject(worthShape)
    .optional()
    .describe('What a header must save, counted in the whole prompt; below it a pack has none'),
  ignore: z
    .array(z.string().min(1))
    .max(10_000)
    .optional()
    .describe('Patterns as in .gitignore for what folders and globs omit'),
  extensions: z
    .array(z.string().regex(EXTENSION_PATTERN))
    .max(100)
    .optional()
    .describe('Extensions of sources besides .md, .markdown and .mdx'),
} satisfies Record<Exclude<keyof PacksConfig, 'prepare'>, z.ZodType>

/** Schema of a configuration in JSON. Unknown keys are errors. */
const configSchema: z.ZodType<PacksConfig> = z.strictObject(shape)

/** Schema of a configuration in code, which may also have a function. */
const codeSchema: z.ZodType<PacksConfig> = z.strictObject({
  ...shape,
  prepare: z.custom<Prepare>((value) => typeof value === 'function').optional(),
})

/** Keys of the objects of a configuration, by the name of the object. */
const configKeys: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['', [...Object.keys(shape), 'prepare']],
  ['frontMatter', Object.keys(mapShape)],
  ['glossary.*', Object.keys(ruleShape)],
  ['worthHeader', Object.keys(worthShape)],
  ['minify', Object.keys(minifyShape)],
])

function byGlob<T>(value: z.ZodType<T>): z.ZodType<T | Record<string, T>> {
  return z.union([value, z.record(path, value)])
}

/** The package ships the result as `packs.schema.json`. */
export function createConfigJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: 'input' })
  return { $schema, title: 'packs.config.json', description: 'Configuration of pack', ...schema }
}

type ConfigResult = { readonly config: PacksConfig } | { readonly issues: readonly ConfigIssue[] }

/** What each key accepts. `*` stands for any key or index. */
const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['', 'an object with keys such as sources and scheme'],
  ['$schema', 'the URL of the JSON schema'],
  ['sources', 'a list of files, folders and globs'],
  ['sources.*', 'a file, folder or glob'],
  ['out', 'a folder'],
  ['scheme', `one of ${SCHEME_NAMES.join(', ')}`],
  ['domain', 'a name of 1 to 100 characters, or names by glob'],
  ['domain.*', 'a name of 1 to 100 characters'],
  ['subdomain', 'a name of 1 to 100 characters, or names by glob'],
  ['subdomain.*', 'a name of 1 to 100 characters'],
  ['difficulty', 'one of beginner, intermediate, advanced, expert, or one of them by glob'],
  ['difficulty.*', 'one of beginner, intermediate, advanced, expert'],
  ['dialect', `one or a list of ${DIALECTS.join(', ')}, or such a value by glob`],
  ['dialect.*', `one or a list of ${DIALECTS.join(', ')}`],
  ['minify', 'an object such as { "off": ["wraps"] }'],
  ['minify.dialect', 'a list of dialects'],
  ['minify.dialect.*', `one of ${DIALECTS.join(', ')}`],
  ['minify.off', 'a list of rules'],
  ['minify.off.*', `one of ${MINIFY_RULES.join(', ')}`],
  ['base_url', 'a URL such as https://example.com/docs/, without ? and #'],
  ['frontMatter', 'an object with the key map'],
  ['frontMatter.map', 'an object such as { "title": "name", "weight": false }'],
  ['frontMatter.map.*', 'the name of another key, or false'],
  ['glossary', 'a list of rules'],
  ['glossary.*', 'a rule such as { "expansion": "transport layer security", "term": "TLS" }'],
  ['glossary.*.expansion', 'the phrase as it occurs in the text'],
  ['glossary.*.term', 'text'],
  ['glossary.*.never', 'true or false'],
  ['budget', 'a whole number of tokens, at least 1'],
  ['minSavings', 'a percentage of at most 100'],
  ['worthHeader', 'an object such as { "percent": 2, "tokens": 40 }'],
  ['worthHeader.percent', 'a percentage from 0 to 100'],
  ['worthHeader.tokens', 'a whole number of tokens'],
  ['ignore', 'a list of patterns as in .gitignore'],
  ['ignore.*', 'a pattern as in .gitignore'],
  ['extensions', 'a list of file extensions'],
  ['extensions.*', 'a file extension such as .txt'],
  ['prepare', 'a function such as ({ path, text }) => text, in a configuration that is code'],
])

/** @param isCode whether it may have functions */
export function validateConfig(value: unknown, isCode = false): ConfigResult {
  const result = (isCode ? codeSchema : configSchema).safeParse(value)
  const issues = result.success
    ? findRepeatedPhrases(result.data)
    : result.error.issues.flatMap((issue) => describeIssue(issue as SchemaIssue, value))
  return result.success && issues.length === 0 ? { config: result.data } : { issues }
}

interface SchemaIssue {
  readonly code: string
  readonly path: readonly (string | number)[]
  readonly keys?: readonly string[]
  readonly errors?: readonly (readonly SchemaIssue[])[]
}

function describeIssue(issue: SchemaIssue, root: unknown): ConfigIssue[] {
  const { code, path, keys = [], errors = [] } = issue
  if (code === 'unrecognized_keys') return keys.map((key) => describeUnknownKey(path, key))
  // Of the forms that a value may have, the closest one has the deepest issue.
  const inner = errors.toSorted((a, b) => measureDepth(b) - measureDepth(a))[0] ?? []
  if (code === 'invalid_union' && measureDepth(inner) > 0) {
    return inner.flatMap((each) => describeIssue({ ...each, path: [...path, ...each.path] }, root))
  }
  const found = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], root)
  const expected = EXPECTED.get(findPattern(path)) ?? 'another value'
  const name = path.length === 0 ? 'the configuration' : path.join('.')
  const message =
    found === undefined && path.length > 0
      ? `${name} is missing`
      : `${name} must be ${expected}, found ${formatValue(found)}`
  const isOld = name === 'scheme' && typeof found === 'string' && findScheme(found) !== undefined
  return [{ path, isKey: false, message, hint: isOld ? suggestScheme(found) : `give ${expected}` }]
}

function measureDepth(issues: readonly SchemaIssue[]): number {
  return Math.max(0, ...issues.map(({ path }) => path.length))
}

function describeUnknownKey(path: readonly (string | number)[], key: string): ConfigIssue {
  const name = [...path, key].join('.')
  if (name === 'prepare') {
    const message = '"prepare" is a function, which JSON cannot hold'
    const hint = 'write the configuration as packs.config.ts or packs.config.js'
    return { path: ['prepare'], isKey: true, message, hint }
  }
  const known = configKeys.get(findPattern(path)) ?? []
  const closest = findClosestWord(key, known)
  const hint =
    closest === undefined
      ? `the keys are ${known.join(', ')}`
      : `did you mean "${[...path, closest].join('.')}"?`
  return { path: [...path, key], isKey: true, message: `"${name}" is not a key of a configuration`, hint }
}

function findPattern(path: readonly (string | number)[]): string {
  const [first = '', second, third] = path.map(String)
  if (second === undefined) return first
  if (first === 'glossary') return third === undefined ? 'glossary.*' : `glossary.*.${third}`
  if (third !== undefined && first !== 'dialect') return `${first}.${second}.*`
  return EXPECTED.has(`${first}.${second}`) ? `${first}.${second}` : `${first}.*`
}

function findRepeatedPhrases({ glossary = [] }: PacksConfig): ConfigIssue[] {
  const seen = new Set<string>()
  return glossary.flatMap(({ expansion }, at) => {
    if (!seen.has(expansion)) {
      seen.add(expansion)
      return []
    }
    const message = `the glossary has two rules for ${formatValue(expansion)}`
    return [{ path: ['glossary', at, 'expansion'], isKey: false, message, hint: 'keep one' }]
  })
}

/** Shows a value, at most about 60 characters of it. */
function formatValue(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value) && value.length === 0) return 'an empty list'
  let shown = String(value)
  try {
    shown = JSON.stringify(value) ?? shown
  } catch {
    // A value that refers to itself has no JSON.
  }
  return shown.length <= 60 ? shown : `${shown.slice(0, 59)}…`
}

const JSON_HINT = 'correct this line; JSON has no comments and no comma before } or ]'
const CONFLICT_HINT = 'finish the merge: keep what you want from both sides, and remove the markers'

/** @param key of the document that holds the configuration; absent for the whole document */
export function parseConfig(text: string, shown: string, key?: string): PacksConfig {
  const json = text.replace(/^\uFEFF/, '')
  const root = parseJson(json, (message, position, isConflict) =>
    configFailedError(shown, message, isConflict ? CONFLICT_HINT : JSON_HINT, position),
  )
  const value: unknown = JSON.parse(json)
  const inner = key === undefined ? [] : [key]
  const settings = key === undefined ? value : (value as Readonly<Record<string, unknown>>)[key]
  const result = validateConfig(settings)
  const issues = [...findDuplicates(findNode(root, inner)), ...('issues' in result ? result.issues : [])]
  if (issues.length === 0 && 'config' in result) return result.config
  throw invalidConfigError(shown, issues, (issue) => findPosition(root, inner, issue))
}

/** `fail` creates the error from a message and a position. */
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
