import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../accounts/auth-options.ts'
import { html, type Html } from '../html/html.ts'

export interface SignInView {
  readonly returnPath: string
  readonly notice: string | undefined
  /** What is wrong with the form that was sent, and which it was. */
  readonly refusal: { readonly form: 'sign-in' | 'sign-up'; readonly text: string } | undefined
  /** The address that was typed. */
  readonly email: string
}

/** The two forms of who is not signed in. */
export function renderSignIn(view: SignInView): Html {
  const { notice } = view
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
          <p class="field">
            <label for="sign-in-password">Password</label>
            <input
              id="sign-in-password"
              name="password"
              type="password"
              autocomplete="current-password"
              maxlength="${LONGEST_PASSWORD}"
              required
            />
          </p>
          <p class="actions"><button class="primary">Sign in</button></p>
        </form>
      </section>
      <section class="card" aria-labelledby="sign-up">
        <h2 id="sign-up">New here?</h2>
        <form action="/settings/sign-up" method="post">
          ${renderShared(view, 'sign-up')} ${renderSignUpFields()}
        </form>
      </section>
    </div>`
}

function renderSignUpFields(): Html {
  return html`<p class="field">
      <label for="sign-up-password">Password</label>
      <input
        id="sign-up-password"
        name="password"
        type="password"
        autocomplete="new-password"
        minlength="${SHORTEST_PASSWORD}"
        maxlength="${LONGEST_PASSWORD}"
        required
        aria-describedby="password-rule"
      />
      <span id="password-rule" class="quiet">At least ${SHORTEST_PASSWORD} characters.</span>
    </p>
    <p class="field">
      <label for="claim">Claim code <span class="quiet">(if an operator gave you one)</span></label>
      <input id="claim" name="claim" autocomplete="off" maxlength="100" />
    </p>
    <p class="actions"><button>Sign up</button></p>`
}

/** What is wrong, where to go back to, and the address. */
function renderShared({ returnPath, refusal, email }: SignInView, form: 'sign-in' | 'sign-up'): Html {
  const isRefused = refusal?.form === form
  return html`${isRefused && html`<p class="note note-bad" role="alert">${refusal.text}</p>`}
    ${returnPath !== '/settings' && html`<input type="hidden" name="return" value="${returnPath}" />`}
    <p class="field">
      <label for="${form}-email">Email</label>
      <input
        id="${form}-email"
        name="email"
        type="email"
        autocomplete="username"
        maxlength="254"
        required
        value="${email}"
      />
    </p>`
}
