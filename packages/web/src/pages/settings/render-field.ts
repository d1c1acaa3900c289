import { html, type Html } from '../../html/html.ts'

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
