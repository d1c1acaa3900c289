import { html, type Html } from '@packs/codec/theme'
import { z } from 'zod'
import { isCommonPassword, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../accounts/passwords.ts'
import { WebError } from '../../web-error.ts'

/** A form field with its label, hint and error. */
export interface Field {
  /** Unique on the page. The ids of the hint and the error begin with it. */
  readonly id: string
  readonly name: string
  readonly label: Html | string
  readonly type?: 'text' | 'email' | 'password'
  readonly autocomplete: 'off' | 'username' | 'current-password' | 'new-password'
  readonly minLength?: number
  readonly maxLength: number
  readonly value?: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly isDisabled?: boolean
}

/** An error in a form, and the name of the field that caused it. */
export interface FormError {
  readonly field: string | null
  readonly text: string
}

/** Returns the text of an error if it is about `field`; `null` stands for the whole form. */
export function findFieldError(error: FormError | undefined, field: string | null): string | undefined {
  return error?.field === field ? error.text : undefined
}

/** Renders a field. A field with an error shows it, is marked as invalid for assistive technology, and gets the focus. */
export function renderField(field: Field): Html {
  const {
    id,
    name,
    label,
    type = 'text',
    autocomplete,
    minLength,
    maxLength,
    value = '',
    hint,
    error,
  } = field
  const isInvalid = error !== undefined
  const described = [isInvalid && `${id}-refusal`, hint !== undefined && `${id}-rule`].filter(Boolean)
  return html`<p class="field">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      maxlength="${maxLength}"
      value="${value}"
      ${minLength !== undefined && html`minlength="${minLength}"`}
      required
      ${field.isDisabled === true && 'disabled'}
      ${described.length > 0 && html`aria-describedby="${described.join(' ')}"`}
      ${isInvalid && html`aria-invalid="true" autofocus`}
    />
    ${isInvalid && html`<span id="${id}-refusal" class="refusal" role="alert">${error}</span>`}
    ${hint !== undefined && html`<span id="${id}-rule" class="quiet">${hint}</span>`}
  </p>`
}

/** Maximum length of an email address, UTF-16 units. */
export const MAX_EMAIL_LENGTH = 254
/** Maximum length of a code as it is typed, with spaces. */
export const MAX_CODE_LENGTH = 100

const email = z
  .string()
  .trim()
  .max(MAX_EMAIL_LENGTH)
  .transform((text) => text.normalize('NFC').toLowerCase())
  .pipe(z.email())
const typedPassword = z.string().min(1).max(MAX_PASSWORD_LENGTH)
const newPassword = z
  .string()
  .min(MIN_PASSWORD_LENGTH)
  .max(MAX_PASSWORD_LENGTH)
  .refine((password) => !isCommonPassword(password))
const PASSWORD_HINT = `A password has ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters, and is none that many people use. A few words are easy to remember.`
const path = z.string().default('')

const code = z.string().trim().min(1).max(MAX_CODE_LENGTH)

interface SignInForm {
  readonly email: string
  readonly password: string
  readonly return: string
}

/** Schemas of the forms on the Settings page and the pages of sign-in. */
export const forms: {
  readonly signUp: z.ZodType<SignInForm>
  readonly signIn: z.ZodType<SignInForm>
  readonly code: z.ZodType<{ readonly email: string; readonly code: string; readonly new_password: string }>
  readonly forgot: z.ZodType<{ readonly email: string }>
  readonly verify: z.ZodType<{ readonly code: string }>
  readonly password: z.ZodType<{ readonly password: string; readonly new_password: string }>
  readonly key: z.ZodType<{ readonly name: string; readonly token: string }>
  readonly rotation: z.ZodType<{ readonly token: string }>
} = {
  signUp: z.object({ email, password: newPassword, return: path }),
  signIn: z.object({ email, password: typedPassword, return: path }),
  code: z.object({ email, code, new_password: newPassword }),
  forgot: z.object({ email }),
  verify: z.object({ code }),
  password: z.object({ password: typedPassword, new_password: newPassword }),
  // The catalog validates the name.
  key: z.object({ name: z.string().default(''), token: z.uuid() }),
  rotation: z.object({ token: z.uuid() }),
}

const fieldErrors: ReadonlyMap<unknown, readonly [message: string, hint: string]> = new Map([
  ['email', ['This is not an email address', 'Enter one like name@example.com.']],
  ['password', ['This password is not valid', PASSWORD_HINT]],
  ['new_password', ['The new password is not valid', PASSWORD_HINT]],
  ['code', ['This is not a code', 'Enter the code as it was given or mailed to you.']],
])

/** Parses a form. @throws WebError `invalid_form`, which names the field and does not repeat its value */
export function parseForm<Form>(schema: z.ZodType<Form>, body: unknown): Form {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const field = parsed.error.issues[0]?.path[0]
  const reason = fieldErrors.get(field)
  if (reason !== undefined) throw new WebError('invalid_form', ...reason, { field: String(field) })
  const hint = 'Open the page again, and send the form from there.'
  throw new WebError('invalid_form', 'A field of the form is missing or not valid', hint)
}

/** Parses an address as the forms do. Returns `undefined` if it is not valid. */
export function parseEmail(text: string): string | undefined {
  return email.safeParse(text).data
}
