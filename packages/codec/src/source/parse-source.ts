import type { VFileMessage } from 'vfile-message'
import { MAX_SOURCE } from '../pack/field-limits.ts'
import { assumeFields, type Assumption } from './assume-fields.ts'
import { capMessages } from './cap-messages.ts'
import { checkDirectives } from './check-directives.ts'
import { createMessage } from './create-message.ts'
import { decodeUtf8 } from './decode-utf8.ts'
import type { FrontMatter } from './front-matter-schema.ts'
import { createLineIndex } from './line-index.ts'
import { readFrontMatter } from './read-front-matter.ts'
import { sourceRules, type SourceRule } from './rules.ts'
import { splitFrontMatter } from './split-front-matter.ts'
import type { Place, Source, SourceOptions, SourceResult } from './types.ts'

/**
 * Reads a source file: front matter, body, directives.
 *
 * All that is wrong is collected, in the order of the file (the first 50 of each rule, and a count of the others); there is
 * no source where a message is an error (`fatal`).
 *
 * @param bytes the file, or its text where that is at hand already
 * @example
 * const { source, messages } = parseSource('---\nslug: tls\n---\n# TLS\n', { path: 'tls.md' })
 */
export function parseSource(bytes: Uint8Array | string, options: SourceOptions): SourceResult {
  const { path } = options
  const messages: VFileMessage[] = []
  const tell = (rule: SourceRule, reason: string, hint: string, place: Place): void => {
    messages.push(createMessage(rule, { path, severity: sourceRules[rule], reason, hint, place }))
  }
  const text = readText(bytes, tell)
  if (text === undefined) return { messages }

  const { frontMatter, bodyStart } = splitFrontMatter(text)
  const lines = createLineIndex(text)
  if (frontMatter === 'unclosed') {
    const hint = 'Close it with a line ---; for a horizontal rule at the top of a file use ***.'
    tell(
      'front-matter-unclosed',
      'The front matter has no end',
      hint,
      lines.placeAt(text.startsWith('\uFEFF') ? 1 : 0),
    )
    return { messages }
  }
  const yamlStart = frontMatter?.start ?? 0
  const yaml = readFrontMatter(text.slice(yamlStart, frontMatter?.end ?? 0))
  for (const { rule, reason, hint, offset } of yaml.findings)
    tell(rule, reason, hint, lines.placeAt(yamlStart + offset))
  const body = text.slice(bodyStart)
  for (const { rule, reason, hint, offset } of checkDirectives(body))
    tell(rule, reason, hint, lines.placeAt(bodyStart + offset))
  messages.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  if (yaml.values === undefined || messages.some(({ fatal }) => fatal === true))
    return { messages: capMessages(messages) }

  const { fields, assumptions } = assumeFields(yaml.values, body, options)
  if (assumptions.length > 0) {
    tell('assumed-fields', describeAssumptions(assumptions), 'Write them into the front matter.', {
      line: 1,
      column: 1,
    })
  }
  const places = new Map([...yaml.offsets].map(([key, offset]) => [key, lines.placeAt(yamlStart + offset)]))
  const source: Source = {
    path,
    ...fields,
    ...chooseSettings(yaml.values),
    body,
    bodyLine: lines.placeAt(bodyStart).line,
    assumed: assumptions.map(({ field }) => field),
    places,
  }
  return { source, messages: capMessages(messages) }
}

function readText(
  bytes: Uint8Array | string,
  tell: (rule: SourceRule, reason: string, hint: string, place: Place) => void,
): string | undefined {
  const size = typeof bytes === 'string' ? new TextEncoder().encode(bytes).length : bytes.length
  if (size > MAX_SOURCE) {
    const reason = `The source has ${size} bytes, more than ${MAX_SOURCE}`
    tell('source-too-large', reason, 'Split it into several packs.', { line: 1, column: 1 })
    return undefined
  }
  const hint = 'Save the file as UTF-8.'
  if (typeof bytes === 'string') {
    const offset = bytes.search(/\p{Cs}/u)
    if (offset === -1) return bytes
    const unit = bytes.charCodeAt(offset).toString(16).toUpperCase()
    const reason = `The text is no Unicode: lone surrogate U+${unit} at offset ${offset}`
    tell('invalid-utf8', reason, hint, createLineIndex(bytes).placeAt(offset))
    return undefined
  }
  const decoded = decodeUtf8(bytes)
  if ('text' in decoded) return decoded.text
  const { offset, value } = decoded.bad
  const reason = `The file is no UTF-8: byte 0x${value.toString(16).toUpperCase()} at offset ${offset} begins no character`
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, offset))
  tell('invalid-utf8', reason, hint, createLineIndex(before).placeAt(before.length))
  return undefined
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
