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

/** Marks the regions of templates. A template that is not closed marks nothing, and is searched for once for each name. */
function createMarkers(text: string, mark: (start: number, end: number) => void): void {
  const unclosed = new Set<string>()
  OPENING.lastIndex = 0
  for (let found = OPENING.exec(text); found !== null; found = OPENING.exec(text)) {
    const name = found[1]!
    if (unclosed.has(name)) continue
    const closing = new RegExp(`\\{(?:%-?|\\{[<%])[ \\t]*(?:end|/[ \\t]*)${name}\\b`, 'g')
    closing.lastIndex = OPENING.lastIndex
    const end = closing.exec(text)
    if (end === null) unclosed.add(name)
    else {
      mark(found.index, closing.lastIndex)
      OPENING.lastIndex = closing.lastIndex
    }
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
