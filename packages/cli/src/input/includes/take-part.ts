import { splitFrontMatter } from '@packs/codec/load-source'
import { findHeadings, readInlineText, scanLines } from '@packs/codec/markdown'
import type { Include, IncludedPart } from './find-includes.ts'

/**
 * Returns the part of a file that an include names, as its tool does.
 *
 * @param text of the file
 * @returns undefined if the file has no such anchor, region or heading
 */
export function takePart(text: string, { tool, path, part }: Include): string | undefined {
  return tool === 'mdBook' ? takeMdBook(text, part) : takeVitePress(text, path, part)
}

const ANCHOR = /ANCHOR(_END)?:[ \t]{0,80}([\w-]+)/

/** Lines of mdBook end in `\n`, whatever the file has, and the last one has no end. */
function takeMdBook(text: string, { name, isEach, fence, ...range }: IncludedPart): string | undefined {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  if (fence !== undefined) return ['```' + fence, ...lines, '```'].join('\n')
  if (name === undefined) return takeRange(lines, range).join('\n')
  const taken: string[] = []
  let parts = 0
  let isInside = false
  for (const line of lines) {
    const [marker, end, found] = ANCHOR.exec(line) ?? []
    const isOwn = found === name && (end !== undefined) === isInside
    if (isOwn && !isInside) parts++
    if (isOwn && isInside && isEach !== true) break
    if (isOwn) isInside = !isInside
    // Lines with anchors of other includes do not belong to the listing.
    else if (isInside && marker === undefined) taken.push(line)
  }
  return parts === 0 ? undefined : taken.join('\n')
}

function takeRange(lines: readonly string[], { from = 1, to }: IncludedPart): readonly string[] {
  return lines.slice(from - 1, to)
}

/** Lines of front matter count only in a range without a region. */
function takeVitePress(text: string, path: string, { name, from, to }: IncludedPart): string | undefined {
  const hasRange = from !== undefined || to !== undefined
  const isPage = /\.md$/i.test(path) && (name !== undefined || !hasRange)
  const lines = (isPage ? text.slice(splitFrontMatter(text).bodyStart) : text).split('\n')
  const found = name === undefined ? lines : (findRegions(lines, name) ?? findSection(lines, name))
  if (found === undefined) return undefined
  return takeRange(found, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }).join('\n')
}

/**
 * A comment such as `// #region name`, `<!-- #endregion name -->` or `# region name`; a key
 * `region:` is not a marker.
 */
const REGION =
  /^\s{0,80}(?:\/\/|\/\*|<!--|--|::|%|;|#|rem\b)[ \t]{0,8}#?[ \t]{0,8}(?:pragma[ \t]{1,8})?(end ?)?region\b(?:[ \t:]{1,8}([\w.*-]+))?/i

/** Returns the lines of all regions of a name; undefined if there are none. */
function findRegions(lines: readonly string[], name: string): readonly string[] | undefined {
  const found: string[] = []
  let isFound = false
  let depth = 0
  for (const line of lines) {
    const [marker, end, named] = REGION.exec(line) ?? []
    if (depth === 0) {
      if (marker === undefined || end !== undefined || named !== name) continue
      isFound = true
      depth = 1
      continue
    }
    if (marker !== undefined) {
      if (end === undefined) depth++
      else depth = named === name ? 0 : depth - 1
    }
    if (depth > 0) found.push(line)
  }
  return isFound ? found : undefined
}

/**
 * Returns the lines below the heading with an id, up to the next heading of its level or a higher
 * one.
 */
function findSection(lines: readonly string[], id: string): readonly string[] | undefined {
  const headings = [...findHeadings(scanLines(lines.join('\n'), { frontMatter: false }))]
  const at = headings.findIndex(({ text }) => findId(text) === id)
  const heading = headings[at]
  if (heading === undefined) return undefined
  const next = headings.slice(at + 1).find(({ level }) => level <= heading.level)
  return lines.slice(heading.lastLine + 1, next?.line)
}

/** Returns the id that the heading has, or else the one that VitePress makes of it. */
function findId(heading: string): string {
  const [, own] = /\{#([^\s{}]{1,200})\}[ \t]{0,80}$/.exec(heading) ?? []
  return own ?? slugify(readInlineText(heading))
}

function slugify(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036F\u0000-\u001f]/g, '')
    .replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
    .replace(/^-|-$/g, '')
    .replace(/^(\d)/, '_$1')
    .toLowerCase()
}
