import { hash } from 'node:crypto'
import { z } from 'zod'

/** Fields that name a section in every response. */
export const sectionNames: Readonly<Record<'id' | 'title' | 'path', z.ZodType>> = {
  id: z.string().describe('Id, unique in the version; `~intro` for the text before the first heading'),
  title: z.string().describe('Heading as plain text; empty for `~intro`'),
  path: z.array(z.string()).describe('Titles of the headings above it, and its own'),
}

/** Returns a short hash of part of a path, for use in tags. */
export function hashName(name: string): string {
  return hash('sha256', name, 'base64url').slice(0, 16)
}

/** Throws if the rows of a version were deleted, which this program never does. */
export function requireFound<T>(found: T | undefined): T {
  if (found !== undefined) return found
  throw new Error('A version that was found no longer exists')
}
