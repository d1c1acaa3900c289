import type { OutlinedSection } from '@packs/codec/sections'
import { z } from 'zod'

/** The sections of a version. */
export interface Outline {
  /** Offset of the decoded body where the preview ends, in UTF-16 units. */
  readonly preview: number
  /** In order; their offsets are UTF-16 units of the decoded body. */
  readonly sections: readonly OutlinedSection[]
}

/**
 * An outline as it is stored: `[preview, sections]`. Paths and offsets follow from levels and lengths; the tokens of the subtree
 * are left out where no section is below.
 */
const outlineSchema = z.tuple([
  z.int().min(0),
  z.array(
    z.tuple([
      z.int().min(0).max(6).describe('level'),
      z.string().describe('id'),
      z.string().describe('title'),
      z.int().min(0).describe('length in UTF-16 units'),
      z.int().min(0).describe('tokens'),
      z.int().min(0).optional().describe('tokens of the subtree'),
    ]),
  ),
])

type StoredOutline = z.infer<typeof outlineSchema>

/** Writes an outline as JSON. JSON escapes the characters that a database cannot store. */
export function encodeOutline({ preview, sections }: Outline): string {
  const rows = sections.map(
    ({ level, id, title, start, end, subtreeEnd, tokens, subtreeTokens }): StoredOutline[1][number] => {
      const row = [level, id, title, end - start, tokens] as const
      return subtreeEnd === end ? [...row] : [...row, subtreeTokens]
    },
  )
  return JSON.stringify([preview, rows] satisfies StoredOutline)
}

/** Reads a stored outline; `undefined` if it is damaged. */
export function decodeOutline(data: string): Outline | undefined {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return undefined
  }
  const parsed = outlineSchema.safeParse(value)
  if (!parsed.success) return undefined
  const [preview, rows] = parsed.data
  return { preview, sections: addPlaces(rows) }
}

/** Derives offsets and paths. */
function addPlaces(rows: StoredOutline[1]): OutlinedSection[] {
  const sections: { -readonly [Key in keyof OutlinedSection]: OutlinedSection[Key] }[] = []
  const above: { level: number; title: string }[] = []
  const open: number[] = []
  let start = 0
  for (const [index, [level, id, title, length, tokens, subtreeTokens = tokens]] of rows.entries()) {
    while (above.length > 0 && above.at(-1)!.level >= level) above.pop()
    while (open.length > 0 && sections[open.at(-1)!]!.level >= level)
      sections[open.pop()!]!.subtreeEnd = start
    const end = start + length
    if (level > 0) {
      above.push({ level, title })
      open.push(index)
    }
    const path = level > 0 ? above.map((heading) => heading.title) : []
    sections.push({ id, title, level, path, start, end, subtreeEnd: end, tokens, subtreeTokens })
    start = end
  }
  for (const index of open) sections[index]!.subtreeEnd = start
  return sections
}
