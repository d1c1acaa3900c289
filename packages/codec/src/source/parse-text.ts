import type { LineTable } from '../markdown/line-table.ts'
import { scanLines } from '../markdown/scan-lines.ts'
import type { FrontMatter } from './front-matter/front-matter-schema.ts'
import type { readFrontMatter } from './front-matter/read-front-matter.ts'
import { splitFrontMatter } from './front-matter/split-front-matter.ts'
import {
  capMessages,
  createPositionFinder,
  createMessage,
  type Finding,
  type SourceRule,
  sourceRules,
} from './messages.ts'
import type { SourceDefaults, Position, Source, SourceMessage, SourceOptions, SourceResult } from './types.ts'
import { type Directive, scanDirectives } from '../markdown/regions/verbatim-regions.ts'
import { quoteFound, cutTitle, MAX_FRONT_MATTER, MAX_SOURCE } from '../pack/field-limits.ts'
import { findClosestWord } from './closest-word.ts'
import { findFirstHeading } from '../markdown/find-headings.ts'
import { deriveName, deriveNameSlug, deriveSlug } from './derive-slug.ts'

/** Parses a source as `parseSource` does. `read` is needed only if it begins like front matter. */
export function parseText(
  bytes: Uint8Array | string,
  options: SourceOptions,
  read?: typeof readFrontMatter,
): SourceResult {
  const { path, defaults = {} } = options
  const messages: SourceMessage[] = []
  const report: Report = (rule, reason, hint, position, { severity = sourceRules[rule], names } = {}) => {
    messages.push(createMessage(rule, { path, severity, reason, hint, position, names }))
  }
  const text = readText(bytes, report)
  if (text === undefined) return { messages }

  const positionAt = createPositionFinder(text)
  const top = positionAt(text.startsWith('\uFEFF') ? 1 : 0)
  const { frontMatter, fault, fencedText, bodyStart } = splitFrontMatter(text)
  if (fault !== undefined) {
    const [reason, hint] = FAULTS[fault]
    report(fault, `${reason}, so it belongs to the body`, hint, top)
  }
  if (fencedText !== undefined) {
    const reason = 'The text between the first two fences has no keys with values, so it belongs to the body'
    const hint = 'Write lines like title: TLS basics; for a horizontal rule at the top of a file use ***.'
    // Only with a key in a later line it is more likely front matter than text between two horizontal rules.
    const severity = /^[\w-]+:[ \t]/m.test(fencedText) ? 'warning' : 'info'
    report('front-matter-not-a-map', reason, hint, top, { severity })
  }
  const start = frontMatter?.start ?? 0
  const found =
    frontMatter &&
    read?.(text.slice(start, frontMatter.end), {
      language: frontMatter.language,
      map: defaults.frontMatterMap,
    })
  const reportFindings = (findings: readonly Finding[], from: number): void => {
    for (const { rule, reason, hint, offset, ...more } of findings)
      report(rule, reason, hint, positionAt(from + offset), more)
  }
  reportFindings(found?.findings ?? [], start)
  const body = text.slice(bodyStart)
  let table: LineTable | undefined
  const scan = (): LineTable => (table ??= scanLines(body, { frontMatter: false }))
  reportFindings(checkDirectives(body, scan), bodyStart)
  messages.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  if (messages.some(({ fatal }) => fatal === true)) return { messages: capMessages(messages) }

  const { values, defaults: used } = mergeDefaults(found?.values ?? {}, defaults, found?.map)
  const { fields, assumptions } = assumeFields(values, scan, options)
  const assumed = assumptions.map(({ field }) => field)
  if (assumptions.length > 0) {
    const parts = assumptions.map(
      ({ field, value, from }) => `${field} "${value}"${from === undefined ? '' : ` (from ${from})`}`,
    )
    const hint = 'Write them into the front matter.'
    const position = { line: 1, column: 1 }
    report('assumed-fields', `Assumed ${parts.join(', ')}`, hint, position, { names: assumed })
  }
  const positions = new Map(
    [...(found?.offsets ?? [])].map(([key, offset]) => [key, positionAt(start + offset)]),
  )
  const source: Source = {
    path,
    ...fields,
    ...chooseSettings(values),
    ...(found?.metadata === undefined ? {} : { metadata: found.metadata }),
    ...(bodyStart === 0 ? {} : { frontMatter: text.slice(0, bodyStart) }),
    body,
    bodyLine: positionAt(bodyStart).line,
    ...(used?.worthHeader && { worthHeader: used.worthHeader }),
    ...(used?.minify && { minify: used.minify }),
    ...(used?.url !== undefined && { url: used.url }),
    ...(used === undefined ? {} : { defaults: used }),
    assumed,
    positions,
  }
  return { source, messages: capMessages(messages) }
}

const FAULTS = {
  'front-matter-unclosed': [
    'The front matter is not closed',
    'Close it with a line like its first; for a horizontal rule at the top of a file use ***.',
  ],
  'front-matter-too-large': [
    `The front matter has more than ${MAX_FRONT_MATTER} characters`,
    'Shorten its longest value, or move text into the body.',
  ],
} as const

type Report = (
  rule: SourceRule,
  reason: string,
  hint: string,
  position: Position,
  more?: Pick<Finding, 'severity' | 'names'>,
) => void

function chooseSettings(
  values: FrontMatter,
): Pick<
  Source,
  'version' | 'description' | 'tags' | 'compression' | 'code' | 'tokenizer' | 'budget' | 'glossary'
> {
  return {
    ...(values.version === undefined ? {} : { version: values.version }),
    ...(values.description === undefined ? {} : { description: values.description }),
    ...(values.tags === undefined ? {} : { tags: values.tags }),
    compression: values.compression ?? 'minify-1',
    code: values.code ?? true,
    tokenizer: values.tokenizer ?? 'o200k_base',
    ...(values.budget === undefined ? {} : { budget: values.budget }),
    glossary: (values.glossary ?? []).map(({ expansion, term, never }) => ({
      expansion,
      ...(term === undefined ? {} : { term }),
      ...(never === undefined ? {} : { never }),
    })),
  }
}

/** The values of a file and those from outside of it together. */
interface MergedValues {
  readonly values: FrontMatter
  /** The source defaults that took effect, absent if none did. */
  readonly defaults?: SourceDefaults
}

/**
 * Adds the source defaults to the values of a front matter. The file wins; the rules of both
 * glossaries apply, the file's first. A default rule is skipped if the file has a rule for its
 * phrase, or uses its term for another phrase.
 * @param map the part of `given.frontMatterMap` that took effect
 */
function mergeDefaults(
  own: FrontMatter,
  defaults: SourceDefaults,
  map: SourceDefaults['frontMatterMap'] = {},
): MergedValues {
  const ownRules = own.glossary ?? []
  const expansions = new Set(ownRules.map(({ expansion }) => expansion))
  const terms = new Set(ownRules.flatMap(({ term }) => term ?? []))
  const rules = (defaults.glossary ?? []).filter(
    ({ expansion, term }) => !expansions.has(expansion) && (term === undefined || !terms.has(term)),
  )
  const fields: Pick<SourceDefaults, (typeof FIELDS)[number]> = Object.fromEntries(
    FIELDS.filter((field) => own[field] === undefined && defaults[field] !== undefined).map((field) => [
      field,
      defaults[field],
    ]),
  )
  const used: SourceDefaults = {
    ...fields,
    ...(defaults.worthHeader && { worthHeader: defaults.worthHeader }),
    ...(defaults.minify && { minify: defaults.minify }),
    ...(defaults.url !== undefined && { url: defaults.url }),
    ...(rules.length === 0 ? {} : { glossary: rules }),
    ...(Object.keys(map).length === 0 ? {} : { frontMatterMap: map }),
  }
  const values = { ...own, ...fields, glossary: [...ownRules, ...rules] }
  return Object.keys(used).length === 0 ? { values } : { values, defaults: used }
}

const FIELDS = ['slug', 'title', 'domain', 'subdomain', 'difficulty', 'compression', 'budget'] as const

/** Checks that directives are known, are on lines of their own, and open and close in turn. */
function checkDirectives(body: string, scan: () => LineTable): Finding[] {
  const findings: Finding[] = []
  const open: Directive[] = []
  // An unknown directive and its closing comment count as one mistake.
  let unknown = 0
  for (const directive of scanDirectives(body, scan)) {
    if (directive.kind === 'open') {
      if (open.length > 0) findings.push(createFinding(directive, 'directive-nested'))
      open.push(directive)
    } else if (directive.kind === 'close') {
      if (open.length > 0) open.pop()
      else if (unknown > 0) unknown--
      else findings.push(createFinding(directive, 'directive-stray'))
    } else if (open.length === 0) {
      if (directive.kind === 'unknown') unknown++
      findings.push(
        createFinding(directive, directive.kind === 'unknown' ? 'directive-unknown' : 'directive-inline'),
      )
    }
  }
  for (const directive of open) findings.push(createFinding(directive, 'directive-unclosed'))
  return findings
}

function createFinding({ name, start }: Directive, rule: keyof typeof TEXTS): Finding {
  const [reason, hint] = TEXTS[rule]
  if (rule !== 'directive-unknown') return { rule, reason, hint, offset: start }
  const closest = findClosestWord(name, ['verbatim'])
  const suggestion = closest === undefined ? hint : `Did you mean "pack:${closest}"?`
  return { rule, reason: `${reason} ${quoteFound(`pack:${name}`)}`, hint: suggestion, offset: start }
}

const TEXTS = {
  'directive-unclosed': [
    'A verbatim region that is not closed',
    'Close it with <!-- /pack --> on a line of its own.',
  ],
  'directive-stray': [
    '<!-- /pack --> closes nothing',
    'Remove it, or open the region with <!-- pack:verbatim -->.',
  ],
  'directive-nested': [
    'A verbatim region inside another',
    'Close the first one before this one, or remove this one.',
  ],
  'directive-unknown': ['Unknown directive', 'The only one is <!-- pack:verbatim -->.'],
  'directive-inline': ['A directive on a line with other text has no effect', 'Put it on a line of its own.'],
} as const satisfies Partial<Record<SourceRule, readonly [reason: string, hint: string]>>

type Fields = Pick<Source, 'slug' | 'title' | 'domain' | 'domainSlug' | 'subdomain' | 'difficulty'>

interface Assumption {
  readonly field: string
  readonly value: string
  readonly from?: string
}

/** Fills in the fields that neither the author nor the caller gives, and lists them. */
function assumeFields(
  values: FrontMatter,
  scan: () => LineTable,
  { path, folder }: SourceOptions,
): { readonly fields: Fields; readonly assumptions: readonly Assumption[] } {
  const assumptions: Assumption[] = []
  const assume = <T extends string>(field: string, value: T, from?: string): T => {
    assumptions.push(from === undefined ? { field, value } : { field, value, from })
    return value
  }
  const assumeTitle = (): string => {
    const heading = cutTitle(findFirstHeading(scan()) ?? '')
    return heading === ''
      ? assume('title', cutTitle(deriveName(path, folder)) || 'Untitled', 'the file name')
      : assume('title', heading, 'the first heading')
  }
  const slug = values.slug ?? assume('slug', deriveNameSlug(path, folder), 'the file name')
  const title = values.title ?? assumeTitle()
  const domain = values.domain ?? assume('domain', 'General')
  const domainSlug = values.domain_slug ?? deriveSlug(domain, 'domain')
  if (
    values.domain !== undefined &&
    values.domain_slug === undefined &&
    /^domain-[0-9a-f]{8}$/.test(domainSlug)
  ) {
    assume('domain_slug', domainSlug, 'the domain, which has nothing of a-z and 0-9')
  }
  const subdomain = values.subdomain ?? assume('subdomain', 'General')
  const difficulty = values.difficulty ?? assume('difficulty', 'intermediate')
  return { fields: { slug, title, domain, domainSlug, subdomain, difficulty }, assumptions }
}

function readText(
  bytes: Uint8Array | string,
  report: (rule: SourceRule, reason: string, hint: string, position: Position) => void,
): string | undefined {
  const size = typeof bytes === 'string' ? new TextEncoder().encode(bytes).length : bytes.length
  if (size > MAX_SOURCE) {
    const reason = `The source has ${size} bytes, more than ${MAX_SOURCE}`
    report('source-too-large', reason, 'Split it into several packs.', { line: 1, column: 1 })
    return undefined
  }
  const hint = 'Save the file as UTF-8.'
  if (typeof bytes === 'string') {
    const offset = bytes.search(/\p{Cs}/u)
    if (offset === -1) return bytes
    const unit = bytes.charCodeAt(offset).toString(16).toUpperCase()
    const reason = `The text is not valid Unicode: lone surrogate U+${unit} at offset ${offset}`
    report('invalid-utf8', reason, hint, createPositionFinder(bytes)(offset))
    return undefined
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    const offset = findBadByte(bytes)
    const value = bytes[offset]!.toString(16).toUpperCase()
    const reason = `The file is not valid UTF-8: byte 0x${value} at offset ${offset} does not begin a character`
    const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, offset))
    report('invalid-utf8', reason, hint, createPositionFinder(before)(before.length))
    return undefined
  }
}

/** Offset of the first byte that does not begin a character: there U+FFFD is decoded. */
function findBadByte(bytes: Uint8Array): number {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const written = new TextEncoder().encode(text)
  let at = written.findIndex((byte, index) => byte !== bytes[index])
  while ((written[at]! & 0xc0) === 0x80) at--
  return at
}
