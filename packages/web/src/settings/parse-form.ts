import { z } from 'zod'
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../accounts/auth-options.ts'
import { WebError } from '../web-error.ts'

const email = z
  .string()
  .trim()
  .max(254)
  .transform((text) => text.normalize('NFC').toLowerCase())
  .pipe(z.email())
const typedPassword = z.string().min(1).max(LONGEST_PASSWORD)
const newPassword = z.string().min(SHORTEST_PASSWORD).max(LONGEST_PASSWORD)
const path = z.string().default('')

interface SignUpForm {
  readonly email: string
  readonly password: string
  readonly claim: string
  readonly return: string
}

/** The forms of the Settings pages. */
export const forms: {
  readonly signUp: z.ZodType<SignUpForm>
  readonly signIn: z.ZodType<Omit<SignUpForm, 'claim'>>
  readonly password: z.ZodType<{ readonly password: string; readonly new_password: string }>
  readonly key: z.ZodType<{ readonly name: string; readonly token: string }>
  readonly rotation: z.ZodType<{ readonly token: string }>
} = {
  signUp: z.object({
    email,
    password: newPassword,
    claim: z.string().trim().max(100).default(''),
    return: path,
  }),
  signIn: z.object({ email, password: typedPassword, return: path }),
  password: z.object({ password: typedPassword, new_password: newPassword }),
  key: z.object({ name: z.string().max(400), token: z.uuid() }),
  rotation: z.object({ token: z.uuid() }),
}

const hints: ReadonlyMap<unknown, string> = new Map([
  ['email', 'Enter an address like name@example.com.'],
  ['password', `A password has ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters.`],
  ['new_password', `A password has ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters.`],
  ['claim', 'A claim code is the one that the operator handed over.'],
  ['name', 'Enter what the key is for.'],
])

/** Reads a form that was sent. @throws WebError `invalid_form`, which repeats nothing of it */
export function parseForm<Form>(schema: z.ZodType<Form>, body: unknown): Form {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const field = parsed.error.issues[0]?.path[0]
  const hint = hints.get(field) ?? 'Open the page again and send the form from there.'
  throw new WebError(
    'invalid_form',
    `The form has no valid ${hints.has(field) ? String(field).replace('_', ' ') : 'fields'}`,
    hint,
  )
}
