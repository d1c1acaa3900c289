import { html, type Html } from '../../html/html.ts'

/** A field of a form, with its label, its rule and what is wrong with what was sent in it. */
export interface Field {
  /** Of this page; the ids of rule and refusal begin with it. */
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
  readonly isOptional?: boolean
  readonly isDisabled?: boolean
}

/** What is wrong with a form that was sent, and the field that it is about. */
export interface FormError {
  readonly field: string | null
  readonly text: string
}

/** What is wrong with a field; nothing where that is not what was refused. */
export function findFieldError(error: FormError | undefined, field: string | null): string | undefined {
  return error?.field === field ? error.text : undefined
}

/** Renders a field; one that was refused says why, is told so to assistive technology, and has the focus. */
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
      ${field.isOptional !== true && 'required'}
      ${field.isDisabled === true && 'disabled'}
      ${described.length > 0 && html`aria-describedby="${described.join(' ')}"`}
      ${isInvalid && html`aria-invalid="true" autofocus`}
    />
    ${isInvalid && html`<span id="${id}-refusal" class="refusal" role="alert">${error}</span>`}
    ${hint !== undefined && html`<span id="${id}-rule" class="quiet">${hint}</span>`}
  </p>`
}
