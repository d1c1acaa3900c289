import { html, type Html } from '@packs/theme'
import { z } from 'zod'
import { isCommonPassword, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../accounts/passwords.ts'
import { WebError } from '../../web-error.ts'

/** Maximum length of an email address, in UTF-16 units. */
export const MAX_EMAIL_LENGTH = 254
/** Maximum length of a code as typed, with spaces. */
export const MAX_CODE_LENGTH = 100

export interface Field {
  /** Unique on the page. The ids of the hint and the error begin with it. */
  readonly id: string
  readonly name: string
  readonly label: string
  readonly type?: 'email' | 'password'
  readonly autocomplete: 'off' | 'username' | 'current-password' | 'new-password'
  readonly minLength?: number
  readonly maxLength: number
  readonly value?: string
  readonly hint?: string
  readonly isDisabled?: boolean
}

export const fields: Readonly<Record<'email' | 'code' | 'password' | 'newPassword' | 'keyName', Field>> = {
  email: {
    id: 'email',
    name: 'email',
    label: 'Email',
    type: 'email',
    autocomplete: 'username',
    maxLength: MAX_EMAIL_LENGTH,
  },
  code: { id: 'code', name: 'code', label: 'Code', autocomplete: 'off', maxLength: MAX_CODE_LENGTH },
  password: {
    id: 'password',
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'current-password',
    maxLength: MAX_PASSWORD_LENGTH,
  },
  newPassword: {
    id: 'new-password',
    name: 'new_password',
    label: 'New password',
    type: 'password',
    autocomplete: 'new-password',
    minLength: MIN_PASSWORD_LENGTH,
    maxLength: MAX_PASSWORD_LENGTH,
    hint: `At least ${MIN_PASSWORD_LENGTH} characters, such as a few words.`,
  },
  keyName: { id: 'name', name: 'name', label: 'Name of a new key', autocomplete: 'off', maxLength: 100 },
}

export interface FormError {
  readonly field: string | null
  readonly text: string
}

/** Returns the text of an error if it concerns `field`; `null` means the whole form. */
export function findFieldError(error: FormError | undefined, field: string | null): string | undefined {
  return error?.field === field ? error.text : undefined
}

/** A field with an error shows it, is marked for assistive technology, and gets the focus. */
export function renderField(field: Field, formError: FormError | undefined): Html {
  const { id, name, label, type = 'text', autocomplete, minLength, maxLength, value = '', hint } = field
  const error = findFieldError(formError, name)
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

const email = z
  .string()
  .trim()
  .max(MAX_EMAIL_LENGTH)
  .transform((text) => text.normalize('NFC').toLowerCase())
  .pipe(z.email())

export const schemas: Readonly<
  Record<'email' | 'password' | 'newPassword' | 'path' | 'code' | 'keyName' | 'token', z.ZodType<string>>
> = {
  email,
  password: z.string().min(1).max(MAX_PASSWORD_LENGTH),
  newPassword: z
    .string()
    .min(MIN_PASSWORD_LENGTH)
    .max(MAX_PASSWORD_LENGTH)
    .refine((password) => !isCommonPassword(password)),
  path: z.string().default(''),
  code: z.string().trim().min(1).max(MAX_CODE_LENGTH),
  // The catalog validates the name.
  keyName: z.string().default(''),
  token: z.uuid(),
}

const PASSWORD_HINT = `Use ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters, and not a common password. A few words are easy to remember.`

const fieldErrors: ReadonlyMap<unknown, readonly [message: string, hint: string]> = new Map([
  ['email', ['This is not an email address', 'Enter one like name@example.com.']],
  ['password', ['This password is invalid', PASSWORD_HINT]],
  ['new_password', ['The new password is invalid', PASSWORD_HINT]],
  ['code', ['This is not a code', 'Enter the code exactly as you received it.']],
])

/** @throws WebError `invalid_form`, which names the field but does not repeat its value */
export function parseForm<Name extends string>(
  shape: Readonly<Record<Name, z.ZodType<string>>>,
  body: unknown,
): Readonly<Record<Name, string>> {
  const parsed = z.object(shape).safeParse(body)
  if (parsed.success) return parsed.data as Readonly<Record<Name, string>>
  const field = parsed.error.issues[0]?.path[0]
  const reason = fieldErrors.get(field)
  if (reason !== undefined) throw new WebError('invalid_form', ...reason, { field: String(field) })
  const hint = 'Open the page again and send the form from there.'
  throw new WebError('invalid_form', 'A field of the form is missing or invalid', hint)
}
