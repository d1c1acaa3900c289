import type { VFileMessage } from 'vfile-message'
import type { LineTable } from '../markdown/line-table.ts'
import { scanLines } from '../markdown/scan-lines.ts'
import { assumeFields, type Assumption } from './assume-fields.ts'
import { checkDirectives } from './check-directives.ts'
import type { FrontMatter } from './front-matter-schema.ts'
import { capMessages, createLineIndex, createMessage } from './messages.ts'
import { mergeGiven } from './merge-given.ts'
import { readFrontMatter } from './read-front-matter.ts'
import { readText } from './read-text.ts'
import { type SourceRule, sourceRules } from './rules.ts'
import type { Place, Source, SourceOptions, SourceResult } from './types.ts'

/**
 * Parses a source file: front matter, body, directives.
 *
 * All problems are collected in the order of the file (the first 50 of each rule, and the number of the others).
 * There is no source if one of the messages is an error (`fatal`).
 *
 * @param bytes the file, or its text
 * @example
 * const { source, messages } = parseSource('---\nslug: tls\n---\n# TLS\n', { path: 'tls.md' })
 */
export function parseSource(bytes: Uint8Array | string, options: SourceOptions): SourceResult {
  const { path } = options
  const messages: VFileMessage[] = []
  const report = (rule: SourceRule, reason: string, hint: string, place: Place): void => {
    messages.push(createMessage(rule, { path, severity: sourceRules[rule], reason, hint, place }))
  }
  const text = readText(bytes, report)
  if (text === undefined) return { messages }

  const { frontMatter, bodyStart } = splitFrontMatter(text)
  const lines = createLineIndex(text)
  if (frontMatter === 'unclosed') {
    const hint = 'Close it with a line ---; for a horizontal rule at the top of a file use ***.'
    report(
      'front-matter-unclosed',
      'The front matter is not closed',
      hint,
      lines.placeAt(text.startsWith('\uFEFF') ? 1 : 0),
    )
    return { messages }
  }
  const yamlStart = frontMatter?.start ?? 0
  const yaml = readFrontMatter(text.slice(yamlStart, frontMatter?.end ?? 0))
  for (const { rule, reason, hint, offset } of yaml.findings)
    report(rule, reason, hint, lines.placeAt(yamlStart + offset))
  const body = text.slice(bodyStart)
  let table: LineTable | undefined
  const scan = (): LineTable => (table ??= scanLines(body, { frontMatter: false }))
  for (const { rule, reason, hint, offset } of checkDirectives(body, scan))
    report(rule, reason, hint, lines.placeAt(bodyStart + offset))
  messages.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  if (yaml.values === undefined || messages.some(({ fatal }) => fatal === true))
    return { messages: capMessages(messages) }

  const { values, given } = mergeGiven(yaml.values, options.given ?? {})
  const { fields, assumptions } = assumeFields(values, scan, options)
  if (assumptions.length > 0) {
    report('assumed-fields', describeAssumptions(assumptions), 'Write them into the front matter.', {
      line: 1,
      column: 1,
    })
  }
  const places = new Map([...yaml.offsets].map(([key, offset]) => [key, lines.placeAt(yamlStart + offset)]))
  const source: Source = {
    path,
    ...fields,
    ...chooseSettings(values),
    ...(bodyStart === 0 ? {} : { frontMatter: text.slice(0, bodyStart) }),
    body,
    bodyLine: lines.placeAt(bodyStart).line,
    ...(given === undefined ? {} : { given }),
    assumed: assumptions.map(({ field }) => field),
    places,
  }
  return { source, messages: capMessages(messages) }
}

function describeAssumptions(assumptions: readonly Assumption[]): string {
  const parts = assumptions.map(
    ({ field, value, from }) => `${field} "${value}"${from === undefined ? '' : ` (from ${from})`}`,
  )
  return `Assumed ${parts.join(', ')}`
}

function chooseSettings(
  values: FrontMatter,
): Pick<Source, 'version' | 'compression' | 'code' | 'tokenizer' | 'budget' | 'glossary'> {
  return {
    ...(values.version === undefined ? {} : { version: values.version }),
    compression: values.compression ?? 'glossary-1',
    code: values.code ?? false,
    tokenizer: values.tokenizer ?? 'o200k_base',
    ...(values.budget === undefined ? {} : { budget: values.budget }),
    glossary: (values.glossary ?? []).map(({ expansion, term, never }) => ({
      expansion,
      ...(term === undefined ? {} : { term }),
      ...(never === undefined ? {} : { never }),
    })),
  }
}

/** The parts of a source, in UTF-16 offsets. */
interface Split {
  /** Absent if there is no front matter; `unclosed` if nothing ends it. */
  readonly frontMatter?: { readonly start: number; readonly end: number } | 'unclosed'
  /** Start of the body. */
  readonly bodyStart: number
}

const OPENING = /^\uFEFF?---[ \t]*(?:\r\n|\n|\r|$)/
const CLOSING = /(?<=[\r\n])---[ \t]*(?:\r\n|\n|\r|$)/g

/**
 * Splits a source into front matter and body.
 *
 * Front matter is an optional byte order mark, a line `---`, YAML, and a line `---` with its line ending.
 */
function splitFrontMatter(text: string): Split {
  const opening = OPENING.exec(text)
  if (opening === null) return { bodyStart: 0 }
  const start = opening[0].length
  CLOSING.lastIndex = start
  const closing = CLOSING.exec(text)
  if (closing === null) return { frontMatter: 'unclosed', bodyStart: start }
  return { frontMatter: { start, end: closing.index }, bodyStart: closing.index + closing[0].length }
}
