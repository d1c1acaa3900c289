import { groupBy } from '@packs/codec/internal'
import { FilesError } from '../../files-error.ts'
import { NOT_IN_PACK_HINT, describeCount, type Diagnostic, errorDiagnostic } from '../../diagnostic.ts'
import type { FoundFile } from '../../inputs/find-files.ts'
import type { ResolvedText } from './resolve-includes.ts'

interface SourceText {
  /** Absent if it is that of the file. */
  readonly text?: string
  readonly messages: readonly Diagnostic[]
  readonly included: readonly string[]
  readonly findLine: (line: number) => number
}

/**
 * Resolves includes, and prepares the text as the configuration says. Bytes that are not UTF-8
 * stay.
 * @throws FilesError `include_failed`, `prepare_failed`
 */
export async function resolveText(
  file: FoundFile,
  bytes: Uint8Array,
  hasMessages = true,
): Promise<SourceText> {
  const source = decodeUtf8(bytes)
  const unchanged = { messages: [], included: [], findLine: (line: number) => line }
  if (source === undefined) return unchanged
  const resolved = await resolveIn(file, source)
  if (resolved && resolved.faults.length > 0) throw includeError(file.shown, resolved)
  const { text: before = source, paths: included = [], findLine = unchanged.findLine } = resolved ?? {}
  const text = file.prepare === undefined ? before : await file.prepare(before)
  const messages = hasMessages ? await describeIncludes(file.shown, text, resolved) : []
  return { ...(text !== source && { text }), messages, included, findLine }
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const INCLUDE = /\{\{[ \t]{0,8}#|@include:/

async function resolveIn(
  { path, stdinPath = path, includeFolder, findRules }: FoundFile,
  source: string,
): Promise<ResolvedText | undefined> {
  if (includeFolder === undefined || !INCLUDE.test(source)) return undefined
  // Most sources need neither this nor a markdown parser.
  const { resolveIncludes } = await import('./resolve-includes.ts')
  return resolveIncludes(source, stdinPath, includeFolder, findRules)
}

function includeError(shown: string, { faults }: ResolvedText): FilesError {
  const [{ line, message } = { line: 1, message: '' }] = faults
  const rest = faults.length === 1 ? '' : `, and ${faults.length - 1} more`
  const hint = 'includes stay inside the repository, in files that are not links, hidden or ignored'
  return new FilesError('include_failed', `${shown}:${line}: ${message}${rest}`, hint, {
    file: shown,
    faults,
  })
}

/** Says what was resolved, and what of other files is not in the pack. */
async function describeIncludes(
  shown: string,
  text: string,
  resolved: ResolvedText | undefined,
): Promise<Diagnostic[]> {
  const { count = 0, missing = [], findLine = (line: number) => line } = resolved ?? {}
  const messages: Diagnostic[] = missing
    .filter(({ isSite }) => isSite)
    .slice(0, MOST)
    .map(({ line, column, message }) => ({
      ...errorDiagnostic(shown, 'include-missing', message, NOT_IN_PACK_HINT, 'warning'),
      line,
      column,
    }))
  if (count > 0) {
    const message = describeCount('includes-resolved', 'include', count)
    messages.push(errorDiagnostic(shown, 'includes-resolved', message, null, 'info'))
  }
  const found = await findUnresolved(text)
  if (resolved === undefined && INCLUDE.test(text)) {
    // For stdin and git revisions.
    const { findIncludes } = await import('./read-included.ts')
    for (const { tool, start: at } of findIncludes(text)) found.push({ kind: `${tool} include`, text, at })
  }
  const places = found.map(({ kind, text: all, at }) => ({
    kind,
    find: () => ({ line: findLine(all.slice(0, at).split('\n').length), column: 1 }),
  }))
  for (const place of missing)
    if (!place.isSite) places.push({ kind: `${place.tool} include`, find: () => place })
  for (const [kind, all] of groupBy(places, (place) => place.kind)) {
    const message = describeCount('not-in-pack', kind, all.length)
    const { line, column } = all[0]!.find()
    const warning = errorDiagnostic(shown, 'not-in-pack', message, NOT_IN_PACK_HINT, 'warning')
    messages.push({ ...warning, line, column, kind, count: all.length })
  }
  return messages
}

const MOST = 50

/** Content that a text takes from elsewhere and a pack lacks; the kind is in the singular. */
interface UnresolvedKind {
  readonly kind: string
  readonly pattern: RegExp
  /** Whether it has no effect in a code block. */
  readonly isMarkdown?: boolean
}

const KINDS: readonly UnresolvedKind[] = [
  {
    kind: 'Jekyll include',
    pattern: /(?<!\{)\{%-?[ \t]{0,40}(?:include|include_relative|include_cached)[ \t]/g,
    isMarkdown: true,
  },
  { kind: 'snippet of MkDocs (--8<--)', pattern: /^[ \t]{0,80}-{2}8<-{2}[ \t]{1,40}["'][^"'\n]/gm },
  {
    kind: 'literalinclude directive',
    pattern: /^[ \t]{0,80}(?:[`~:]{3,20}\{|\.\. )(?:literalinclude|include)(?:\}|::)/gm,
  },
  {
    kind: 'MDX import of a page',
    pattern: /^import[ \t][^'"\r\n]{1,100}[ \t]from[ \t]{1,40}['"][^'"\n]{1,400}\.mdx?['"]/gm,
    isMarkdown: true,
  },
  { kind: 'snippet of VitePress (<<<)', pattern: /^ {0,3}<<<[ \t]{0,40}[@\w./][^\n]/gm, isMarkdown: true },
]

interface UnresolvedPlace {
  readonly kind: string
  readonly text: string
  readonly at: number
}

/** Finds what the tool of a site would resolve and this program does not. */
async function findUnresolved(text: string): Promise<UnresolvedPlace[]> {
  const found = findShortcodes(text).map((at): UnresolvedPlace => ({ kind: 'Hugo shortcode', text, at }))
  for (const { kind, pattern, isMarkdown = false } of KINDS) {
    const isCode = isMarkdown && text.search(pattern) >= 0
    // It keeps the lines.
    const plain = isCode ? (await import('./read-included.ts')).removeCode(text) : text
    for (const { index: at } of plain.matchAll(pattern)) found.push({ kind, text: plain, at })
  }
  return found
}

/** Finds the Hugo shortcodes that insert text: not links, and not those around text. */
function findShortcodes(text: string): number[] {
  const matches = Array.from(text.matchAll(/\{\{[<%][ \t]{0,40}(\/?[\w-]{1,100})/g))
  const known = new Set([...matches.map(([, name]) => name), '/ref', '/relref'])
  return matches.flatMap(({ index, 1: name = '' }) =>
    name.startsWith('/') || known.has(`/${name}`) ? [] : index,
  )
}
