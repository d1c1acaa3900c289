import type { Account, QuotaState } from '@packs/catalog'
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../accounts/create-auth.ts'
import type { SessionLine } from '../../accounts/create-sign-in.ts'
import { formatCount, formatDay, formatMinute, formatNumber, formatWait } from '../../html/format-values.ts'
import { html, type Html } from '../../html/html.ts'
import { showHidden } from '../../html/display-text.ts'
import { renderKeys, type KeyListView } from './key-list.ts'
import { nameBrowser } from './name-browser.ts'
import { findRefusal, renderField } from './render-field.ts'

/** What the page of who is signed in shows. */
export interface SettingsView extends KeyListView {
  readonly account: Account
  readonly usage: QuotaState
  readonly sessions: readonly SessionLine[]
  readonly notice: string | undefined
  /** The text of a key that was just made: this page alone shows it. */
  readonly newKey: string | undefined
}

const MOST_SESSIONS = 20

/** Account, today's usage, keys, password and sessions of who is signed in. */
export function renderSettings(view: SettingsView): Html {
  const { account, notice, newKey } = view
  const refusal = findRefusal(view.refusal, null)
  return html`<div class="lead lead-row">
      <div>
        <h1>Settings</h1>
        <p class="quiet">${account.email} · since ${formatDay(account.created_at)}</p>
      </div>
      <form action="/settings/sign-out" method="post"><button>Sign out</button></form>
    </div>
    ${refusal !== undefined && html`<p class="note note-bad" role="alert">${refusal}</p>`}
    ${notice !== undefined && html`<p class="note" role="status">${notice}</p>`}
    ${newKey !== undefined && renderNewKey(newKey)}
    <div class="settings">
      ${renderUsage(view)} ${renderKeys(view)} ${renderPassword(view)} ${renderSessions(view.sessions)}
    </div>`
}

function renderNewKey(key: string): Html {
  return html`<section class="card fresh" aria-labelledby="new-key">
    <h2 id="new-key">Your new key</h2>
    <p>Copy it now: it is shown this once, and only its hash is kept.</p>
    <pre class="key" tabindex="0" data-copy>${key}</pre>
    <p class="quiet">Send it in the header <code class="whole">x-api-key</code>.</p>
  </section>`
}

function renderUsage({ account, usage, now }: SettingsView): Html {
  const { limit, used, remaining, resetAt } = usage
  const width = limit === 0 ? 100 : Math.min(100, Math.round((1000 * used) / limit) / 10)
  const words = `${formatNumber(used)} of ${formatCount(limit, 'request')} used today`
  return html`<section class="card usage" aria-labelledby="usage">
    <h2 id="usage">Today <span class="chip chip-tier">${account.tier === 'pro' ? 'Pro' : 'Free'}</span></h2>
    <p class="big"><b>${formatNumber(remaining)}</b> of ${formatCount(limit, 'request')} left</p>
    <svg class="gauge" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="${words}">
      <rect class="gauge-all" x="0" y="0" width="100" height="6" />
      <rect
        class="${remaining === 0 ? 'gauge-spent' : 'gauge-used'}"
        x="0"
        y="0"
        width="${width}"
        height="6"
      />
    </svg>
    <p class="quiet">
      ${formatNumber(used)} used. The day ends at <time datetime="${resetAt.toISOString()}">00:00 UTC</time>,
      in ${formatWait(now, resetAt)}.
      ${account.tier === 'free' && html`Free accounts see previews; an operator changes the tier.`}
    </p>
  </section>`
}

function renderPassword(view: SettingsView): Html {
  return html`<section class="card" aria-labelledby="password-title">
    <h2 id="password-title">Password</h2>
    <form action="/settings/password" method="post">
      <input type="hidden" name="username" autocomplete="username" value="${view.account.email}" />
      ${renderField({
        id: 'password',
        name: 'password',
        label: 'Current password',
        type: 'password',
        autocomplete: 'current-password',
        longest: LONGEST_PASSWORD,
        refusal: findRefusal(view.refusal, 'password'),
      })}
      ${renderField({
        id: 'new-password',
        name: 'new_password',
        label: 'New password',
        type: 'password',
        autocomplete: 'new-password',
        shortest: SHORTEST_PASSWORD,
        longest: LONGEST_PASSWORD,
        rule: `At least ${SHORTEST_PASSWORD} characters.`,
        refusal: findRefusal(view.refusal, 'new_password'),
      })}
      <p class="actions"><button>Change password</button></p>
    </form>
  </section>`
}

function renderSessions(sessions: readonly SessionLine[]): Html {
  return html`<section class="card" aria-labelledby="sessions">
    <h2 id="sessions">Sessions</h2>
    <ul class="sessions">
      ${sessions.slice(0, MOST_SESSIONS).map(
        ({ createdAt, userAgent, isThis }) =>
          html`<li>
            <b title="${showHidden(userAgent)}">${nameBrowser(userAgent)}</b>
            ${isThis && html`<span class="chip chip-tier">this session</span>`}
            <span class="quiet">since ${formatMinute(createdAt)}</span>
          </li>`,
      )}
    </ul>
    ${
      sessions.length > 1 &&
      html`<form action="/settings/sessions" method="post">
        <p class="actions"><button>End other sessions</button></p>
      </form>`
    }
  </section>`
}
