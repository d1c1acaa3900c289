import { findClosestWord } from '@packs/codec/source'
import type { ConfigIssue } from './config-errors.ts'
import { configKeys, configSchema } from './config-schema.ts'
import type { PacksConfig } from './packs-config.ts'

/** The valid configuration, or everything that is wrong with it. */
export type ConfigResult = { readonly config: PacksConfig } | { readonly issues: readonly ConfigIssue[] }

/** What each key accepts. `*` stands for any key or index. */
const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['', 'an object with keys such as sources and scheme'],
  ['$schema', 'the address of the JSON schema'],
  ['sources', 'a list of files, folders and globs'],
  ['sources.*', 'a file, folder or glob'],
  ['out', 'a folder'],
  ['scheme', 'one of none, glossary-1, dense-1, max-1'],
  ['domain', 'a name of 1 to 100 characters, or names by glob'],
  ['domain.*', 'a name of 1 to 100 characters'],
  ['subdomain', 'a name of 1 to 100 characters, or names by glob'],
  ['subdomain.*', 'a name of 1 to 100 characters'],
  ['difficulty', 'one of beginner, intermediate, advanced, expert, or one of them by glob'],
  ['difficulty.*', 'one of beginner, intermediate, advanced, expert'],
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
  ['lint', 'an object with the key rules'],
  ['lint.rules', 'an object such as { "long-section": "off" }'],
  ['lint.rules.*', 'one of off, info, warning, error'],
  ['baseline', 'an object with the keys file and tolerance'],
  ['baseline.file', 'a file'],
  ['baseline.tolerance', 'a percentage from 0 to 1000'],
])

/** Checks a configuration against the schema. */
export function validateConfig(value: unknown): ConfigResult {
  const result = configSchema.safeParse(value)
  const issues = result.success
    ? findRepeatedPhrases(result.data)
    : result.error.issues.flatMap((issue) => describeIssue(issue as SchemaIssue, value))
  return result.success && issues.length === 0 ? { config: result.data } : { issues }
}

/** The parts of an issue of zod that are used here. */
interface SchemaIssue {
  readonly code: string
  readonly path: readonly (string | number)[]
  readonly keys?: readonly string[]
  readonly errors?: readonly (readonly SchemaIssue[])[]
}

function describeIssue(issue: SchemaIssue, root: unknown): ConfigIssue[] {
  const { code, path, keys = [], errors = [] } = issue
  if (code === 'unrecognized_keys') return keys.map((key) => describeUnknownKey(path, key))
  // Of the forms that a value may have, the one that fits best has the deepest issue.
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
  return [{ path, isKey: false, message, hint: `give ${expected}` }]
}

function measureDepth(issues: readonly SchemaIssue[]): number {
  return Math.max(0, ...issues.map(({ path }) => path.length))
}

function describeUnknownKey(path: readonly (string | number)[], key: string): ConfigIssue {
  const name = [...path, key].join('.')
  const known = configKeys.get(findPattern(path)) ?? []
  const closest = findClosestWord(key, known)
  const hint =
    closest === undefined
      ? `the keys are ${known.join(', ')}`
      : `did you mean "${[...path, closest].join('.')}"?`
  return { path: [...path, key], isKey: true, message: `"${name}" is not a key of a configuration`, hint }
}

/** Returns the name of a place in {@link EXPECTED}. */
function findPattern(path: readonly (string | number)[]): string {
  const [first = '', second, third] = path.map(String)
  if (second === undefined) return first
  if (first === 'glossary') return third === undefined ? 'glossary.*' : `glossary.*.${third}`
  if (third !== undefined) return `${first}.${second}.*`
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
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch {
    text = undefined
  }
  const shown = text ?? String(value)
  return shown.length <= 60 ? shown : `${shown.slice(0, 59)}…`
}
