import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../accounts/create-auth.ts'
import { html, type Html } from '../../html/html.ts'
import { LONGEST_EMAIL } from './parse-form.ts'
import { findRefusal, renderField, type Refusal } from './render-field.ts'

export interface SignInView {
  readonly returnPath: string
  readonly notice: string | undefined
  readonly refusal: SignInRefusal | undefined
  /** The address that was typed. */
  readonly email: string
  /** The claim code that was typed. */
  readonly claim: string
}

/** What is wrong with one of the two forms. */
export interface SignInRefusal extends Refusal {
  readonly form: 'sign-in' | 'sign-up'
}

/** The two forms of who is not signed in. */
export function renderSignIn(view: SignInView): Html {
  const { notice, claim } = view
  return html`<div class="lead">
      <h1>Settings</h1>
      <p class="quiet">
        Sign in to make keys for the API and to see today’s usage. Browsing needs no account.
      </p>
    </div>
    ${notice !== undefined && html`<p class="note" role="status">${notice}</p>`}
    <div class="pair">
      <section class="card" aria-labelledby="sign-in">
        <h2 id="sign-in">Sign in</h2>
        <form action="/settings/sign-in" method="post">
          ${renderShared(view, 'sign-in')}
          ${renderField({
            id: 'sign-in-password',
            name: 'password',
            label: 'Password',
            type: 'password',
            autocomplete: 'current-password',
            longest: LONGEST_PASSWORD,
            refusal: findRefusal(selectRefusal(view, 'sign-in'), 'password'),
          })}
          <p class="actions"><button class="primary">Sign in</button></p>
        </form>
      </section>
      <section class="card" aria-labelledby="sign-up">
        <h2 id="sign-up">New here?</h2>
        <form action="/settings/sign-up" method="post">
          ${renderShared(view, 'sign-up')}
          ${renderField({
            id: 'sign-up-password',
            name: 'password',
            label: 'Password',
            type: 'password',
            autocomplete: 'new-password',
            shortest: SHORTEST_PASSWORD,
            longest: LONGEST_PASSWORD,
            rule: `At least ${SHORTEST_PASSWORD} characters.`,
            refusal: findRefusal(selectRefusal(view, 'sign-up'), 'password'),
          })}
          ${renderField({
            id: 'claim',
            name: 'claim',
            label: html`Claim code <span class="quiet">(if an operator gave you one)</span>`,
            autocomplete: 'off',
            longest: 100,
            value: claim,
            refusal: findRefusal(selectRefusal(view, 'sign-up'), 'claim'),
            isOptional: true,
          })}
          <p class="actions"><button>Sign up</button></p>
        </form>
      </section>
    </div>`
}

/** What is wrong with no field in particular, where to go back to, and the address. */
function renderShared(view: SignInView, form: SignInRefusal['form']): Html {
  const { returnPath, email } = view
  const refusal = findRefusal(selectRefusal(view, form), null)
  return html`${refusal !== undefined && html`<p class="note note-bad" role="alert">${refusal}</p>`}
  ${returnPath !== '/settings' && html`<input type="hidden" name="return" value="${returnPath}" />`}
  ${renderField({
    id: `${form}-email`,
    name: 'email',
    label: 'Email',
    type: 'email',
    autocomplete: 'username',
    longest: LONGEST_EMAIL,
    value: email,
    refusal: findRefusal(selectRefusal(view, form), 'email'),
  })}`
}

function selectRefusal({ refusal }: SignInView, form: SignInRefusal['form']): Refusal | undefined {
  return refusal?.form === form ? refusal : undefined
}
