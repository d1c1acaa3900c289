import { createHash } from 'node:crypto'
import type { Block, Outline } from './outline.ts'

/** Outlines a text of any size by its lines: `#` headings, fences, and runs of lines between blank ones. */
export function outlineLines(markdown: string): Outline {
  const headings: string[] = []
  const blocks: Block[] = []
  const content = createHash('sha256')
  let fence: string | undefined
  let isInside = false
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    const heading = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/.exec(line)
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
    } else if (mark !== undefined) {
      fence = mark
      isInside = false
      blocks.push({ kind: 'code block', depth: 1 })
    } else if (heading) {
      isInside = false
      headings.push(trimHeading(heading[2] ?? ''))
      blocks.push({ kind: `heading of level ${heading[1]!.length}`, depth: 1 })
    } else if (line.trim() === '') isInside = false
    else if (!isInside) {
      isInside = true
      blocks.push({ kind: 'block', depth: 1 })
    }
    content.update(`${fence === undefined ? line.trim() : line}\n`)
  }
  return { headings, blocks, content: content.digest('hex') }
}

function trimHeading(text: string): string {
  const words = text.split(/\s+/).filter((word) => word !== '')
  if (/^#+$/.test(words.at(-1) ?? '')) words.pop()
  return words.join(' ')
}
