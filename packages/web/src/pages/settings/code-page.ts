import { html, type Html } from '@packs/codec/theme'
import { fields, findFieldError, renderField, type FormError } from './form-fields.ts'

/** What a page with one form shows: the address and code to prefill, a message and an error. */
export interface CodeView {
  readonly email: string
  readonly code: string
  readonly notice: string | undefined
  readonly error: FormError | undefined
}

/** Renders the form that opens an account with a code and a new password. */
export function renderCode(view: CodeView): Html {
  return html`${renderLead(view, 'Open your account with a code', 'The code comes from the operator or from a mail. It opens the account of your address once, with a new password, and ends all other sessions.')}
    <section class="card" aria-label="Code and new password">
      <form action="/settings/code" method="post">
        ${renderField({ ...fields.email, value: view.email }, view.error)}
        ${renderField({ ...fields.code, value: view.code }, view.error)}
        ${renderField(fields.newPassword, view.error)}
        <p class="actions"><button class="primary">Set password and sign in</button></p>
      </form>
    </section>`
}

/** Renders the form that asks for a mail with a code, or who gives codes if there is no mail. */
export function renderForgot(view: CodeView, hasMail: boolean): Html {
  const text = hasMail
    ? 'Enter the address of your account. You get a mail with a link to choose a new password.'
    : 'This service sends no mail. Ask the operator for a code.'
  return html`${renderLead(view, 'Forgot password?', text)}
    ${
      hasMail &&
      html`<section class="card" aria-label="Address of your account">
        <form action="/settings/forgot" method="post">
          ${renderField({ ...fields.email, value: view.email }, view.error)}
          <p class="actions"><button class="primary">Send the mail</button></p>
        </form>
      </section>`
    }
    <p><a href="/settings/code">I have a code</a></p>`
}

/** Renders the form that proves the address of a signed-in visitor with the code from a mail. */
export function renderVerify(view: CodeView): Html {
  return html`${renderLead(view, 'Confirm your address', `You are signed in as ${view.email}. Confirm only if you signed up yourself.`)}
    <section class="card" aria-label="Code from the mail">
      <form action="/settings/verify" method="post">
        ${renderField({ ...fields.code, value: view.code }, view.error)}
        <p class="actions"><button class="primary">Confirm this address</button></p>
      </form>
    </section>`
}

function renderLead({ notice, error }: CodeView, title: string, text: string): Html {
  const refusal = findFieldError(error, null)
  return html`<div class="lead">
      <h1>${title}</h1>
      <p class="quiet">${text}</p>
    </div>
    ${notice !== undefined && html`<p class="note" role="status">${notice}</p>`}
    ${refusal !== undefined && html`<p class="note note-bad" role="alert">${refusal}</p>`}`
}
