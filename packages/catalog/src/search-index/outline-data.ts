import { placeSections } from '@packs/codec/sections'
import { z } from 'zod'
import type { Outline } from '../search-index.ts'

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
  let end = 0
  const ends = rows.map(([, , , length]) => (end += length))
  const sections = rows.map(([level, id, title, , tokens, subtreeTokens = tokens]) => {
    return { level, id, title, tokens, subtreeTokens }
  })
  return { preview, sections: placeSections(sections, ends) }
}
