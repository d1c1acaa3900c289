import { MAX_SLUG } from '@packs/codec/pack'
import { z } from 'zod'

/** A whole number in plain digits; other ways to write one are refused. */
export function wholeNumber(least: number, most: number): z.ZodType<number, string> {
  const error = `must be a whole number from ${least} to ${most.toLocaleString('en-US')}`
  return z
    .string()
    .regex(/^(0|[1-9][0-9]{0,9})$/, { error })
    .transform(Number)
    .pipe(z.int({ error }).min(least, { error }).max(most, { error }))
}

const slugError = 'must be the slug of a domain: lower-case words with hyphens'

export const domain: z.ZodType<string, string> = z
  .string()
  .max(MAX_SLUG, { error: slugError })
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: slugError })
  .describe('Slug of a domain; one that no pack has matches nothing')

const levels = ['beginner', 'intermediate', 'advanced', 'expert'] as const

export const difficulty: z.ZodType<(typeof levels)[number], string> = z
  .enum(levels, { error: `must be one of ${levels.join(', ')}` })
  .describe('What a reader should know already')

export const search: z.ZodType<string, string> = z
  .string()
  .max(400)
  .refine((text) => Array.from(text).length <= 200, { error: 'must have at most 200 characters' })
  .refine((text) => text.trim() !== '', { error: 'is blank; leave it out' })
  .refine((text) => !/\p{Cc}/u.test(text), { error: 'must hold no control character' })
  .describe(
    'Words in any order, each a part of the title, whatever its case and Unicode form; at most 200 characters',
  )

export const updatedSince: z.ZodType<string, string> = z.iso
  .datetime({
    offset: true,
    error: 'must be a time like 2026-05-01T00:00:00Z; write the + of an offset as %2B',
  })
  .max(40)
  .describe('Changes at or after this time, RFC 3339')

export const cursor: z.ZodType<string, string> = z
  .string()
  .max(200, { error: 'is no cursor of this service' })
  .regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/, { error: 'is no cursor of this service' })
  .describe('`next_cursor` or `resume_cursor` of an answer to the same filters')
