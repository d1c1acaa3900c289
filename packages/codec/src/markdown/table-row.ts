/**
 * Counts the cells of a table row between two offsets, as GFM does.
 *
 *     row  = "|"? cell ("|" cell)* "|"?
 *     cell = (character other than "|" and "\" | "\" character)*
 */
export function countCells(text: string, start: number, end: number): number {
  let dividers = 0
  let seenData = false
  let dataAfterDivider = false
  for (let offset = start; offset < end; offset++) {
    const code = text.charCodeAt(offset)
    if (code === 32 || code === 9) continue
    if (code === 124) {
      if (seenData || dividers > 0) dividers++
      else seenData = true
      dataAfterDivider = false
      continue
    }
    seenData = dataAfterDivider = true
    if (code === 92 && '|\\'.includes(text[offset + 1] ?? ' ')) offset++
  }
  return dividers + (dataAfterDivider || dividers === 0 ? 1 : 0)
}

/** Whether a line can be the header of a table: any line except a single pipe. */
export function isHeaderRow(text: string, start: number, end: number): boolean {
  return text.charCodeAt(start) !== 124 || skipSpaces(text, start + 1, end) < end
}

/**
 * Returns the number of columns of a delimiter row; 0 if the text between the offsets is not one.
 *
 *     delimiter-row = "|"? column ("|" column)* "|"?      (with at least one "|" or ":")
 *     column        = white-space* ":"? "-"+ ":"? white-space*
 */
export function readDelimiterRow(text: string, start: number, end: number): number {
  let offset = start
  let columns = 0
  let divided = false
  for (;;) {
    if (text.charCodeAt(offset) === 124 && offset < end) {
      divided = true
      offset = skipSpaces(text, offset + 1, end)
      if (offset === end) return columns
    } else if (columns > 0) {
      return 0
    }
    if (text.charCodeAt(offset) === 58) {
      divided = true
      offset++
    }
    const fill = offset
    while (offset < end && text.charCodeAt(offset) === 45) offset++
    if (offset === fill || offset > end) return 0
    columns++
    if (offset < end && text.charCodeAt(offset) === 58) {
      divided = true
      offset++
    }
    offset = skipSpaces(text, offset, end)
    if (offset === end) return divided ? columns : 0
  }
}

/** First offset from `start` that is not at a space or tab; at most `end`. */
export function skipSpaces(text: string, start: number, end: number): number {
  let offset = start
  while (offset < end) {
    const code = text.charCodeAt(offset)
    if (code !== 32 && code !== 9) break
    offset++
  }
  return offset
}

export function trimEnd(text: string, start: number, end: number): number {
  let trimmed = end
  while (trimmed > start) {
    const code = text.charCodeAt(trimmed - 1)
    if (code !== 32 && code !== 9) break
    trimmed--
  }
  return trimmed
}
