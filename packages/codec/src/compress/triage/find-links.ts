import { readResourceEnd, readTagEnd, readUrlEnd } from '../structure/inline-spans.ts'

/** URLs, autolinks and link destinations of `text`: `[start, end)` in UTF-16 offsets, flat, rising and apart. */
export function findLinks(text: string): number[] {
  const ranges: number[] = []
  let offset = 0
  START.lastIndex = 0
  for (let match = START.exec(text); match; match = START.exec(text)) {
    const start = match.index
    const end = readEnd(text, start)
    if (start < offset || end <= start) continue
    ranges.push(start, end)
    offset = end
    START.lastIndex = end
  }
  return ranges
}

const START = /\]\(|<(?=https?:|mailto:)|https?:\/\/|www\./gi

function readEnd(text: string, start: number): number {
  switch (text.charCodeAt(start)) {
    case 93:
      return readResourceEnd(text, start + 1, text.length)
    case 60:
      return readTagEnd(text, start, text.length)
    default:
      return readUrlEnd(text, start, text.length)
  }
}
