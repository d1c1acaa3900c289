import { MAX_FRONT_MATTER } from '../../pack/field-limits.ts'
import { createMessage } from '../messages.ts'
import type { Source, SourceMessage } from '../types.ts'
import { isPlainMap } from './collect-metadata.ts'
import { parseFrontMatter } from './parse-front-matter.ts'
import { splitFrontMatter } from './split-front-matter.ts'

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

export function readPageState(text: string): PageState {
  const { frontMatter, top, fault } = splitFrontMatter(text)
  const most = fault === 'front-matter-too-large' ? text.length : top + MAX_FRONT_MATTER
  if (frontMatter === undefined)
    return hasUnreadDraft(text.slice(top, most)) ? { kind: 'draft', isUnread: true } : {}
  const block = text.slice(frontMatter.start, frontMatter.end)
  const { value = {}, texts } = parseFrontMatter(block, frontMatter.language)
  // Case does not matter to Hugo, so that a key may occur twice.
  const list = (from: unknown, ...keys: readonly string[]): unknown[] =>
    keys.flatMap((key) =>
      Object.entries(isPlainMap(from) ? from : {}).flatMap(([name, one]) =>
        name.toLowerCase() === key ? [one] : [],
      ),
    )
  const is = (key: string, wanted: RegExp, from: unknown = value): boolean =>
    list(from, key).some((one) => wanted.test(String(one)))
  // What is not valid may hide its value.
  const mayBeDraft = texts !== undefined && DRAFT.test(block) && !is('draft', NO)
  if (is('draft', YES) || mayBeDraft) return { kind: 'draft' }
  if (is('published', NO)) return { kind: 'unpublished page' }
  const isRendered = !list(value, 'build', '_build').some((build) =>
    is('render', /^(?:never|false)$/i, build),
  )
  if (is('unlisted', YES) || is('headless', YES) || !isRendered) return { kind: 'unlisted page' }
  const [from, until] = [
    ['publishdate', 'pubdate', 'published'],
    ['expirydate', 'unpublishdate'],
  ].map((keys) => list(value, ...keys).flatMap((one) => readTime(one) ?? [])[0])
  return { from, until }
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

/** Whether a block at the top that is not front matter says that the page is a draft. */
function hasUnreadDraft(block: string): boolean {
  // Without a directive of YAML, and each key beside its value.
  const top = block.replace(/^%YAML .*[\r\n]+/, '').replace(/\?[ \t]{1,4}(["'\w]+)\s[ \t]{0,4}:/g, '$1:')
  const isFenced = /^(?:[-+=;]{3}|\{|<!--)/.test(top)
  const lines = top.split(/\r\n?|\n/)
  const isClosed = isFenced && lines.some((line, at) => at > 0 && CLOSING.test(line))
  for (const [at, line] of lines.entries()) {
    if (UNREAD_DRAFT.test(line)) return true
    const isOver = isClosed ? at > 0 && CLOSING.test(line) : line.trim() === ''
    if (isOver || CODE.test(line) || (!isFenced && !/^[ \t]*["']?[\w.-]+["']?[ \t]*[:=]/.test(line)))
      return false
  }
  return false
}

const CLOSING = /^\s*(?:[-+=;]{3}|\.{3}|\}|-->)/
const CODE = /^\s*(?:`{3}|~{3})/
const UNREAD_DRAFT = /(?:^ {0,3}|[{,]\s*)["']?draft["']?\s*[:=]\s*["']?(?:true|yes|on)(?![\w-])/i
