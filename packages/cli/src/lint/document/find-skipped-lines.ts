import { LineKind, LineMark, type LineTable } from '@packs/codec/markdown'
import { findVerbatimRegions } from '@packs/codec/source'

/**
 * Templates whose content is code or text for another program, by their names: Liquid's `{% raw %}`, Hugo's
 * `{{< highlight >}}`, `{{< code-example >}}` and the like.
 *
 *     opening = ("{%" | "{{<" | "{{%") "-"? name …
 *     closing = the same with "end" or "/" before the name
 */
const OPENING =
  /\{(?:%-?|\{[<%])[ \t]*([\w-]{0,40}(?:highlight|code|example|snippet|raw|console|terminal|mermaid|diagram|chart|math)[\w-]{0,40})/g
const CLOSING = /\{(?:%-?|\{[<%])[ \t]*(?:end|\/[ \t]*)([\w-]+)/g
const IMPORT = /^(?:import\s+(?:[\w*{'"]|type\b)|export\s+(?:default|const|function|let|type|\{|\*))/

/** Returns 1 for each line that no rule reads: verbatim regions, code of templates, imports and exports of MDX, math. */
export function findSkippedLines(text: string, lines: LineTable): Uint8Array {
  const skipped = new Uint8Array(lines.count)
  const mark = createMarker(lines, skipped)
  for (const { start, end } of findVerbatimRegions(text)) mark(start, end)
  createMarkers(text, createMarker(lines, skipped))
  skipModules(text, lines, skipped)
  return skipped
}

/** Returns a function that marks the lines of regions, which come in rising order. */
function createMarker(
  { starts, ends, count }: LineTable,
  skipped: Uint8Array,
): (start: number, end: number) => void {
  let line = 0
  return (start, end) => {
    while (line < count && ends[line]! < start) line++
    for (let at = line; at < count && starts[at]! < end; at++) skipped[at] = 1
  }
}

/** Marks the regions of templates. A template that is not closed marks nothing. Each closing is looked at once. */
function createMarkers(text: string, mark: (start: number, end: number) => void): void {
  const closings = Map.groupBy(text.matchAll(CLOSING), ([, name]) => name)
  for (const found of closings.values()) found.reverse()
  let offset = 0
  for (const { 0: opening, 1: name, index } of text.matchAll(OPENING)) {
    if (index < offset) continue
    const found = closings.get(name) ?? []
    while (found.length > 0 && found.at(-1)!.index < index + opening.length) found.pop()
    const [closing] = found.splice(-1)
    if (closing === undefined) continue
    offset = closing.index + closing[0].length
    mark(index, offset)
  }
}

/** Marks paragraphs that are imports and exports of MDX. */
function skipModules(text: string, lines: LineTable, skipped: Uint8Array): void {
  const { count, kinds, marks, bodyStarts } = lines
  let isModule = false
  for (let line = 0; line < count; line++) {
    if (kinds[line] !== LineKind.paragraph) {
      isModule = false
      continue
    }
    if (marks[line]! & LineMark.startsLeaf) {
      const start = bodyStarts[line]!
      isModule =
        IMPORT.test(text.slice(start, start + 40)) && isModuleLine(text.slice(start, lines.ends[line]))
    }
    if (isModule) skipped[line] = 1
  }
}

function isModuleLine(line: string): boolean {
  return /['"{;=(]/.test(line.slice(0, 400))
}
