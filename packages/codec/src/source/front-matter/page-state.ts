import { MAX_FRONT_MATTER } from '../../pack/field-limits.ts'
import { createMessage } from '../messages.ts'
import type { Source, SourceMessage } from '../types.ts'
import { isPlainMap } from './collect-metadata.ts'
import { parseFrontMatter } from './parse-front-matter.ts'
import { splitFrontMatter } from './split-front-matter.ts'

export type FrontMatter = Readonly<Record<string, unknown>>

/** What the front matter of a page says about who sees it. */
export interface PageState {
  /** Why readers of the site do not see it, whatever the time. */
  readonly kind?: 'draft' | 'unpublished page' | 'unlisted page'
  /** Whether a block that says so is not front matter. */
  readonly isUnread?: boolean
  /** Times in milliseconds before and after which readers do not see it. */
  readonly from?: number | undefined
  readonly until?: number | undefined
}

/**
 * @param inherited front matter that it has from elsewhere, the nearest last
 * @param isDated whether `date` is the time from which readers see it
 */
export function readPageState(
  text: string,
  inherited: readonly FrontMatter[] = [],
  isDated = false,
): PageState {
  const { frontMatter, top, fault, bodyStart } = splitFrontMatter(text)
  // With the indentation, which may make it code.
  const from =
    frontMatter === undefined
      ? Math.max(text.lastIndexOf('\n', top), text.lastIndexOf('\r', top)) + 1
      : bodyStart
  const most = fault === 'front-matter-too-large' ? text.length : from + MAX_FRONT_MATTER
  // Another block may follow front matter.
  const isBlock =
    frontMatter === undefined || /^\s*(?:---|\+\+\+)[ \t]*[\r\n]/.test(text.slice(from, from + 80))
  if (isBlock && hasUnreadDraft(text.slice(from, most))) return { kind: 'draft', isUnread: true }
  const { start = 0, end = 0, language = 'yaml' } = frontMatter ?? {}
  const block = text.slice(start, end)
  const { value: own = {}, texts, findings } = parseFrontMatter(block, language)
  const value = Object.assign({}, ...inherited, own) as FrontMatter
  // Case does not matter to Hugo, so that a key may occur twice.
  const list = (from: unknown, ...keys: readonly string[]): unknown[] =>
    keys.flatMap((key) =>
      Object.entries(isPlainMap(from) ? from : {}).flatMap(([name, one]) =>
        foldName(name) === key ? [one] : [],
      ),
    )
  const is = (key: string, wanted: RegExp, from: unknown = value): boolean =>
    list(from, key).some((one) => wanted.test(String(one)))
  // What is not valid, or occurs twice, may hide its value.
  const isDoubled = findings.some(({ names }) => names?.[0]?.toLowerCase() === 'draft')
  const mayBeDraft = isDoubled || (texts !== undefined && DRAFT.test(block) && !is('draft', NO))
  if (is('draft', YES) || mayBeDraft) return { kind: 'draft' }
  if (is('published', NO)) return { kind: 'unpublished page' }
  const isRendered = !list(value, 'build', '_build').some((build) =>
    is('render', /^(?:never|false)$/i, build),
  )
  if (is('unlisted', YES) || is('headless', YES) || !isRendered) return { kind: 'unlisted page' }
  const [first, until] = [
    ['publishdate', 'pubdate', 'published', ...(isDated ? ['date'] : [])],
    ['expirydate', 'unpublishdate'],
  ].map((keys) => list(value, ...keys).flatMap((one) => readTime(one) ?? [])[0])
  return { from: first, until }
}

/** What the front matter of a folder's page gives the pages below: `cascade`, or all of it. */
export function readCascade(text: string, isBundle: boolean): readonly FrontMatter[] {
  const { frontMatter } = splitFrontMatter(text)
  if (frontMatter === undefined) return []
  const { start, end, language } = frontMatter
  const { value = {} } = parseFrontMatter(text.slice(start, end), language)
  return isBundle ? [value] : [value['cascade']].flat().filter(isPlainMap)
}

/** Returns a message if readers of the site do not see the page of a source now. */
export function describeHidden({ path, frontMatter = '', body }: Source): SourceMessage[] {
  const { kind, from = -Infinity, until = Infinity } = readPageState(frontMatter + body)
  const now = new Date()
  if (kind === undefined && from <= now.getTime() && now.getTime() <= until) return []
  const why = kind ?? `its dates hide it as of ${now.toISOString()}, the clock of the build`
  const reason = `Readers of the site do not see this page: ${why}`
  const hint = 'Keep its pack from those who do not see it.'
  return [
    createMessage('hidden-page', { path, severity: 'info', reason, hint, position: { line: 1, column: 1 } }),
  ]
}

// A tag of another tool may precede a value.
const YES = /^\s*(?:!\S* )?["']?(?:true|yes|on|[yt1])["']?\s*$/i
const NO = /^\s*(?:!\S* )?["']?(?:false|no|off|[nf0])["']?\s*$/i
const DRAFT = /(?:^|[\r\n{,])[ \t]*(?:\?[ \t]+)?["']?draft["']?\s*[:=]/i

const DATE = /^\d{4}-\d\d?-\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,9} .{0,40}\d{4}/i

/** Without a zone, a time is one of UTC. */
function readTime(value: unknown): number | undefined {
  const text = (value instanceof Date ? value.toISOString() : String(value)).trim().slice(0, 80)
  if (!DATE.test(text)) return undefined
  const plain = text.replace(/^([\d-]+)T/i, '$1 ').replace(/([+-]\d\d:?\d\d) [A-Z]+$/, '$1')
  const time = Date.parse(/(?:Z|[+-]\d\d:?\d\d|[A-Z]{3})$/i.test(plain.slice(10)) ? plain : `${plain} UTC`)
  return Number.isNaN(time) ? undefined : time
}

/** Without case, and what a reader of the file does not see. */
function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\s\p{DI}]/gu, '')
    .toLowerCase()
}

/** Whether a block at the top that is not front matter says that the page is a draft. */
function hasUnreadDraft(block: string): boolean {
  const plain = block
    .normalize('NFKC')
    .replace(/[\0\p{DI}]/gu, '')
    .replace(/[\u2010-\u2015\u2212]+/g, '---')
    .replace(/\r\n?|[\v\f\x85\u2028\u2029]/g, '\n')
    // Each key beside its value.
    .replace(/\?[ \t]{1,4}(["'\w]+)\s[ \t]{0,4}:/g, '$1:')
  let [top, length] = [plain, 0]
  // Without comments, and a directive of YAML.
  for (; top.length !== length; top = top.replace(/^(?:[ \t]*\n)+/, '').replace(COMMENT, ''))
    length = top.length
  const isFenced = /^ {0,3}(?:[-+=;]{3}|\{|<!--)/.test(top)
  const lines = top.split('\n')
  const isClosed = isFenced && lines.some((line, at) => at > 0 && CLOSING.test(line))
  for (const [at, line] of lines.entries()) {
    if ((isFenced ? UNREAD_DRAFT : PLAIN_DRAFT).test(line)) return true
    const isOver = isClosed ? at > 0 && CLOSING.test(line) : line.trim() === ''
    if (isOver || CODE.test(line) || (!isFenced && !/^[ \t]*["']?[\w.-]+["']?[ \t]*[:=]/.test(line)))
      return false
  }
  return false
}

const COMMENT =
  /^(?:%YAML .*|\[\/\/\]: .*|\{\/\*[^]*?\*\/\}|\{%-? *comment *-?%\}[^]*?\{%-? *endcomment *-?%\}|\{#[^]*?#\})/
const CLOSING = /^\s*(?:[-+=;]{3}|\.{3}|\}|-->)/
const CODE = /^\s*(?:`{3}|~{3})/
const UNREAD_DRAFT = /(?:^\s*|[{,]\s*)["']?draft["']?\s*[:=]\s*["']?(?:true|yes|on)["']?\s*(?:$|[#,}])/i
const PLAIN_DRAFT = /^ {0,3}["']?draft["']?\s*[:=]\s*["']?(?:true|yes|on)["']?\s*(?:$|#)/i
