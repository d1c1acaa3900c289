import { type BlockTable, splitLines } from '../markdown/line-table.ts'
import { scanLines, type ScanOptions } from '../markdown/scan-lines.ts'
import { readTag, type Tag, VERBATIM_TAG } from './tags.ts'
import type { Dialect } from './types.ts'

/** The lines of a text. In MDX lines of nothing but tags are shown as blank. */
export interface DialectTable extends BlockTable {
  readonly tagLines: ReadonlyMap<number, readonly Tag[]>
}

const FENCE = /^[\s>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/
const MOST_TAGS = 20

/** In MDX lines of tags hold markdown, so they are scanned as if they were blank. */
export function scanDialect(
  text: string,
  dialects: ReadonlySet<Dialect>,
  options?: ScanOptions,
): DialectTable {
  const tagLines = dialects.has('mdx') ? findTagLines(text) : new Map<number, readonly Tag[]>()
  if (tagLines.size === 0) return { ...scanLines(text, options), tagLines }
  const parts: string[] = []
  let end = 0
  for (const tags of tagLines.values()) {
    const start = tags[0]!.start
    const last = tags.at(-1)!.end
    parts.push(text.slice(end, start), ' '.repeat(last - start))
    end = last
  }
  return { ...scanLines(parts.join('') + text.slice(end), options), text, tagLines }
}

/** Finds the lines outside of fenced code that are nothing but tags. */
function findTagLines(text: string): Map<number, readonly Tag[]> {
  const { starts, ends, count } = splitLines(text)
  const found = new Map<number, readonly Tag[]>()
  let fence = ''
  for (let line = 0; line < count; line++) {
    const content = text.slice(starts[line], ends[line])
    if (fence !== '') {
      const rest = content.replace(/^[\s>]*/, '')
      if (rest.startsWith(fence) && rest.trimEnd().replaceAll(fence[0]!, '') === '') fence = ''
      continue
    }
    fence = FENCE.exec(content)?.[1] ?? ''
    const tags = fence === '' ? readTags(text, starts[line]!, ends[line]!) : []
    if (tags.length > 0) found.set(line, tags)
  }
  return found
}

function readTags(text: string, start: number, end: number): readonly Tag[] {
  const tags: Tag[] = []
  for (let offset = start; offset < end; offset++) {
    const code = text.charCodeAt(offset)
    if (code === 32 || code === 9) continue
    const tag = code === 60 && tags.length < MOST_TAGS ? readTag(text, offset) : undefined
    if (tag === undefined || tag.end > end || VERBATIM_TAG.test(tag.name)) return []
    tags.push(tag)
    offset = tag.end - 1
  }
  return tags
}
