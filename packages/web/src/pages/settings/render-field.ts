import { html, type Html } from '../../html/html.ts'

/** A field of a form, with its label, its rule and what is wrong with what was sent in it. */
export interface Field {
  /** Of this page; the ids of rule and refusal begin with it. */
  readonly id: string
  readonly name: string
  readonly label: Html | string
  readonly type?: 'text' | 'email' | 'password'
  readonly autocomplete: 'off' | 'username' | 'current-password' | 'new-password'
  readonly shortest?: number
  readonly longest: number
  readonly value?: string
  readonly rule?: string
  readonly refusal?: string | undefined
  readonly isOptional?: boolean
  readonly isDisabled?: boolean
}

/** What is wrong with a form that was sent, and the field that it is about. */
export interface Refusal {
  readonly field: string | null
  readonly text: string
}

/** What is wrong with a field; nothing where that is not what was refused. */
export function findRefusal(refusal: Refusal | undefined, field: string | null): string | undefined {
  return refusal?.field === field ? refusal.text : undefined
}

/** Renders a field; one that was refused says why, is told so to assistive technology, and has the focus. */
export function renderField(field: Field): Html {
  const { id, name, label, type = 'text', autocomplete, shortest, longest, value = '', rule, refusal } = field
  const isRefused = refusal !== undefined
  const described = [isRefused && `${id}-refusal`, rule !== undefined && `${id}-rule`].filter(Boolean)
  return html`<p class="field">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      maxlength="${longest}"
      value="${value}"
      ${shortest !== undefined && html`minlength="${shortest}"`}
      ${field.isOptional !== true && 'required'}
      ${field.isDisabled === true && 'disabled'}
      ${described.length > 0 && html`aria-describedby="${described.join(' ')}"`}
      ${isRefused && html`aria-invalid="true" autofocus`}
    />
    ${isRefused && html`<span id="${id}-refusal" class="refusal" role="alert">${refusal}</span>`}
    ${rule !== undefined && html`<span id="${id}-rule" class="quiet">${rule}</span>`}
  </p>`
}
