import { groupBy } from '@packs/codec/internal'
import { FilesError } from '../../files-error.ts'
import { describeCount, type Diagnostic, errorDiagnostic } from '../../diagnostic.ts'
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
  const { count = 0, missing = [] } = resolved ?? {}
  const messages: Diagnostic[] = missing
    .filter(({ isSite }) => isSite)
    .slice(0, MOST)
    .map(({ line, column, message }) => ({
      ...errorDiagnostic(
        shown,
        'include-missing',
        message,
        'correct or remove it; it stays as it is',
        'warning',
      ),
      line,
      column,
    }))
  if (count > 0) messages.push(countIncludes(shown, 'includes-resolved', 'include', count))
  for (const [kind, number] of await countUnresolved(text))
    messages.push(countIncludes(shown, 'not-in-pack', kind, number))
  if (resolved === undefined && INCLUDE.test(text)) {
    // For stdin and git revisions.
    const { findIncludes } = await import('./read-included.ts')
    for (const [tool, { length }] of groupBy(findIncludes(text), (include) => include.tool))
      messages.push(countIncludes(shown, 'not-in-pack', `${tool} include`, length))
  }
  const examples = groupBy(
    missing.filter(({ isSite }) => !isSite),
    ({ tool }) => tool,
  )
  for (const [tool, [first, ...rest]] of examples) {
    const { message, line, column } = first!
    const counted = countIncludes(shown, 'not-in-pack', `${tool} include`, rest.length + 1)
    messages.push({ ...counted, message: `${counted.message}: ${message}`, line, column })
  }
  return messages
}

const MOST = 50

function countIncludes(
  shown: string,
  rule: 'includes-resolved' | 'not-in-pack',
  kind: string,
  count: number,
): Diagnostic {
  const message = describeCount(rule, kind, count)
  return { ...errorDiagnostic(shown, rule, message, null, 'info'), kind, count }
}

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

/** Counts what the tool of a site would resolve and this program does not, by kind. */
async function countUnresolved(text: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  const shortcodes = countShortcodes(text)
  if (shortcodes > 0) counts.set('Hugo shortcode', shortcodes)
  let plain: string | undefined
  for (const { kind, pattern, isMarkdown = false } of KINDS) {
    let count = countMatches(text, pattern)
    if (count > 0 && isMarkdown) {
      plain ??= (await import('./read-included.ts')).removeCode(text)
      count = countMatches(plain, pattern)
    }
    if (count > 0) counts.set(kind, count)
  }
  return counts
}

/** Counts the Hugo shortcodes that insert text: not links, and not those around text. */
function countShortcodes(text: string): number {
  const names = Array.from(text.matchAll(/\{\{[<%][ \t]{0,40}(\/?[\w-]{1,100})/g), ([, name = '']) => name)
  const known = new Set([...names, '/ref', '/relref'])
  return names.filter((name) => !name.startsWith('/') && !known.has(`/${name}`)).length
}

function countMatches(text: string, pattern: RegExp): number {
  let count = 0
  for (const _ of text.matchAll(pattern)) count++
  return count
}
