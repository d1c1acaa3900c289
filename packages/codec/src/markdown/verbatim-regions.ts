import { scanDirectives } from './scan-directives.ts'

/** A part of a text, in UTF-16 offsets: from `start` up to, and without, `end`. */
export interface Region {
  readonly start: number
  readonly end: number
}

/**
 * Finds the regions between `<!-- pack:verbatim -->` and `<!-- /pack -->`, each on a line of its own outside code fences.
 *
 * A region holds both comments, without the line end after the second; an unclosed one goes to the end of the text.
 *
 * @example
 * findVerbatimRegions('a\n<!-- pack:verbatim -->\nb\n<!-- /pack -->\nc') // [{ start: 2, end: 41 }]
 */
export function findVerbatimRegions(text: string): Region[] {
  const regions: Region[] = []
  let start = 0
  let depth = 0
  for (const directive of scanDirectives(text)) {
    if (directive.kind === 'open') {
      if (depth === 0) start = directive.start
      depth++
    } else if (directive.kind === 'close' && depth > 0) {
      depth--
      if (depth === 0) regions.push({ start, end: directive.end })
    }
  }
  if (depth > 0) regions.push({ start, end: text.length })
  return regions
}
