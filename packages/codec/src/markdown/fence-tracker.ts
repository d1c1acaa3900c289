/** Follows the code fences of a markdown text line by line. */
export interface FenceTracker {
  /** Takes the next line, without its line end: does it belong to fenced code, its fences included? */
  take(line: string): boolean
}

interface Fence {
  readonly mark: string
  readonly size: number
  /** Column of the fence, a tab filling up to the next multiple of four. */
  readonly column: number
  readonly quoted: boolean
}

const OPENING = /^((?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t]){0,100})(`{3,}|~{3,})(.*)$/

/** Creates a tracker. Fences are found in lists and quotes too: one ends at its closing line, or where its container does. */
export function createFenceTracker(): FenceTracker {
  let fence: Fence | undefined
  return {
    take(line) {
      if (fence !== undefined && isOutside(fence, line)) fence = undefined
      if (fence === undefined) {
        fence = readFence(line)
        return fence !== undefined
      }
      if (isClosing(fence, line)) fence = undefined
      return true
    },
  }
}

function readFence(line: string): Fence | undefined {
  if (!line.includes('```') && !line.includes('~~~')) return undefined
  const match = OPENING.exec(line)
  if (match === null) return undefined
  const [, prefix = '', marks = '', info = ''] = match
  const mark = marks[0] ?? ''
  if (mark === '`' && info.includes('`')) return undefined
  return { mark, size: marks.length, column: measureColumns(prefix), quoted: prefix.includes('>') }
}

function isClosing(fence: Fence, line: string): boolean {
  const rest = line.replace(/^[ \t>]+/, '')
  let size = 0
  while (rest[size] === fence.mark) size++
  return size >= fence.size && rest.slice(size).trim() === ''
}

/** A fence is at most three columns right of where its list item begins, so a line further left has left the item. */
function isOutside(fence: Fence, line: string): boolean {
  const prefix = /^[ \t>]*/.exec(line)?.[0] ?? ''
  if (fence.quoted) return !prefix.includes('>')
  return prefix.length < line.length && measureColumns(prefix) < fence.column - 3
}

function measureColumns(prefix: string): number {
  let column = 0
  for (const character of prefix) column = character === '\t' ? column + 4 - (column % 4) : column + 1
  return column
}
