import { html, type Html } from '@packs/theme'
import { fields, findFieldError, renderField, type FormError } from './form-fields.ts'

export interface SignInView {
  readonly returnPath: string
  readonly notice: string | undefined
  readonly error: SignInError | undefined
  readonly email: string
  /** Whether passwords are reset by mail; otherwise operators hand out codes. */
  readonly hasMail: boolean
}

export interface SignInError extends FormError {
  readonly form: 'sign-in' | 'sign-up'
}

const NEW_ACCOUNT_PASSWORD = {
  ...fields.newPassword,
  id: 'sign-up-password',
  name: 'password',
  label: 'Password',
}

export function renderSignIn(view: SignInView): Html {
  const { notice, hasMail } = view
  return html`<div class="lead">
      <h1>Sign in or create an account</h1>
      <p class="quiet">
        Free accounts read previews. Pro accounts read whole packs and combine them in prompts.
        <a href="/docs#tiers">Compare both</a>. You can browse without an account.
      </p>
    </div>
    ${notice !== undefined && html`<p class="note" role="status">${notice}</p>`}
    <div class="pair">
      <section class="card" aria-labelledby="sign-in">
        <h2 id="sign-in">Sign in</h2>
        <form action="/settings/sign-in" method="post">
          ${renderSharedFields(view, 'sign-in')}
          ${renderField({ ...fields.password, id: 'sign-in-password' }, selectFormError(view, 'sign-in'))}
          <p class="actions"><button class="primary">Sign in</button></p>
        </form>
        <p class="quiet">
          ${hasMail ? html`<a href="/settings/forgot">Forgot password?</a>` : 'Forgot your password? Ask the operator for a code.'}
          <a class="whole" href="/settings/code">I have a code</a>
        </p>
      </section>
      <section class="card" aria-labelledby="sign-up">
        <h2 id="sign-up">New here?</h2>
        <form action="/settings/sign-up" method="post">
          ${renderSharedFields(view, 'sign-up')}
          ${renderField(NEW_ACCOUNT_PASSWORD, selectFormError(view, 'sign-up'))}
          <p class="actions"><button>Sign up</button></p>
        </form>
      </section>
    </div>`
}

/** Renders what both forms share: the error of the whole form, the return path and the email. */
function renderSharedFields(view: SignInView, form: SignInError['form']): Html {
  const { returnPath, email } = view
  const error = selectFormError(view, form)
  const refusal = findFieldError(error, null)
  return html`${refusal !== undefined && html`<p class="note note-bad" role="alert">${refusal}</p>`}
  ${returnPath !== '/settings' && html`<input type="hidden" name="return" value="${returnPath}" />`}
  ${renderField({ ...fields.email, id: `${form}-email`, value: email }, error)}`
}

function selectFormError({ error }: SignInView, form: SignInError['form']): FormError | undefined {
  return error?.form === form ? error : undefined
}
