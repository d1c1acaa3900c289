import { z } from 'zod'
import { CatalogError } from '../catalog-error.ts'

/** RFC 5321, section 4.5.3.1. */
const LONGEST_EMAIL = 254
const emailSchema = z.email().max(LONGEST_EMAIL)

/**
 * Reads an address as accounts have it: without space around it, in lower case.
 *
 * @throws CatalogError `invalid_account`
 */
export function parseEmail(text: string): string {
  const { data } = emailSchema.safeParse(text.trim().toLowerCase())
  if (data !== undefined) return data
  const hint = `Write it like ada@example.org, in at most ${LONGEST_EMAIL} characters.`
  throw new CatalogError('invalid_account', 'This is no e-mail address', hint)
}
