import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../accounts/passwords.ts'
import { html, type Html } from '@packs/codec/theme'
import { MAX_EMAIL_LENGTH } from './form-fields.ts'
import { findFieldError, renderField, type FormError } from './form-fields.ts'

export interface SignInView {
  readonly returnPath: string
  readonly notice: string | undefined
  readonly error: SignInError | undefined
  /** The email address to prefill. */
  readonly email: string
  /** Whether passwords are reset by mail; otherwise an operator gives codes. */
  readonly hasMail: boolean
}

/** An error in one of the two forms. */
export interface SignInError extends FormError {
  readonly form: 'sign-in' | 'sign-up'
}

/** Renders the forms to sign in and to sign up. */
export function renderSignIn(view: SignInView): Html {
  const { notice, hasMail } = view
  return html`<div class="lead">
      <h1>Settings</h1>
      <p class="quiet">Sign in to create API keys and to see today’s usage. Browsing needs no account.</p>
    </div>
    ${notice !== undefined && html`<p class="note" role="status">${notice}</p>`}
    <div class="pair">
      <section class="card" aria-labelledby="sign-in">
        <h2 id="sign-in">Sign in</h2>
        <form action="/settings/sign-in" method="post">
          ${renderSharedFields(view, 'sign-in')}
          ${renderField({
            id: 'sign-in-password',
            name: 'password',
            label: 'Password',
            type: 'password',
            autocomplete: 'current-password',
            maxLength: MAX_PASSWORD_LENGTH,
            error: findFieldError(selectFormError(view, 'sign-in'), 'password'),
          })}
          <p class="actions"><button class="primary">Sign in</button></p>
        </form>
        ${
          hasMail
            ? html`<p><a href="/settings/forgot">Forgot password?</a></p>`
            : html`<p class="quiet">Forgot your password? Ask the operator for a code.</p>`
        }
      </section>
      <section class="card" aria-labelledby="sign-up">
        <h2 id="sign-up">New here?</h2>
        <form action="/settings/sign-up" method="post">
          ${renderSharedFields(view, 'sign-up')}
          ${renderField({
            id: 'sign-up-password',
            name: 'password',
            label: 'Password',
            type: 'password',
            autocomplete: 'new-password',
            minLength: MIN_PASSWORD_LENGTH,
            maxLength: MAX_PASSWORD_LENGTH,
            hint: `At least ${MIN_PASSWORD_LENGTH} characters, such as a few words.`,
            error: findFieldError(selectFormError(view, 'sign-up'), 'password'),
          })}
          <p class="actions"><button>Sign up</button></p>
        </form>
        <p>Did the operator give you a code? <a href="/settings/code">I have a code</a></p>
      </section>
    </div>`
}

/** Renders what both forms have: the error of the whole form, the return path and the email address. */
function renderSharedFields(view: SignInView, form: SignInError['form']): Html {
  const { returnPath, email } = view
  const error = findFieldError(selectFormError(view, form), null)
  return html`${error !== undefined && html`<p class="note note-bad" role="alert">${error}</p>`}
  ${returnPath !== '/settings' && html`<input type="hidden" name="return" value="${returnPath}" />`}
  ${renderField({
    id: `${form}-email`,
    name: 'email',
    label: 'Email',
    type: 'email',
    autocomplete: 'username',
    maxLength: MAX_EMAIL_LENGTH,
    value: email,
    error: findFieldError(selectFormError(view, form), 'email'),
  })}`
}

function selectFormError({ error }: SignInView, form: SignInError['form']): FormError | undefined {
  return error?.form === form ? error : undefined
}
