import { type Account, type QuotaState, UNDO_MS, type KeyRow } from '@packs/catalog'
import type { SessionSummary } from '../../accounts/create-sign-in.ts'
import {
  escapeBidi,
  formatCount,
  formatDay,
  formatDuration,
  formatMinute,
  formatNumber,
} from '../../html/display-text.ts'
import { html, type Html } from '@packs/theme'
import { renderProHint } from '../page.ts'
import { fields, findFieldError, renderField, type FormError } from './form-fields.ts'

interface SettingsView extends KeyListView {
  readonly account: Account
  readonly usage: QuotaState
  readonly sessions: readonly SessionSummary[]
  readonly notice: string | undefined
  readonly contact: string | undefined
  /** Whether an unverified email gets a mail to verify it. */
  readonly hasMail: boolean
  /** A key that was just created. It is shown only on this page. */
  readonly newKey: string | undefined
  /** A line of a shell that calls with the new key. */
  readonly call: string | undefined
}

export function renderSettings(view: SettingsView): Html {
  const { account, notice, newKey } = view
  const error = findFieldError(view.error, null)
  return html`<div class="lead lead-row">
      <div>
        <h1>Settings</h1>
        <p class="quiet meta">
          <span>${account.email}</span> <span>since <time>${formatDay(account.created_at)}</time></span>
          ${!account.verified && html`<span>email not verified</span>`}
        </p>
      </div>
      <form action="/settings/sign-out" method="post"><button>Sign out</button></form>
    </div>
    ${error !== undefined && html`<p class="note note-bad" role="alert">${error}</p>`}
    ${notice !== undefined && html`<p class="note note-good" role="status">${notice}</p>`}
    ${newKey !== undefined && renderNewKey(newKey, view.call)}
    <div class="settings">
      ${renderKeys(view)}
      <div class="settings-side">${renderUsage(view)} ${renderPassword(view)}</div>
      ${renderSessions(view.sessions)} ${!account.verified && renderUnverified(view)}
    </div>`
}

function renderUnverified({ account, hasMail }: SettingsView): Html {
  return html`<section class="card" aria-labelledby="unverified">
    <h2 id="unverified">Verify your email</h2>
    ${
      hasMail
        ? html`<p>
              ${account.tier === 'pro' ? 'Until then, a password reset by mail revokes your keys.' : 'You need it to become Pro.'}
              Open the link in the mail to ${account.email}, or
              <a href="/settings/verify">enter its code</a>.
            </p>
            <form action="/settings/verify/send" method="post">
              <p class="actions"><button>Send the mail again</button></p>
            </form>`
        : html`<p>
            ${account.tier === 'pro' ? 'Your Pro account works without it. To verify it, ask' : 'You need it to become Pro. Ask'}
            the operator for a code and
            <a href="/settings/code">enter it</a>: you choose a new password and create new keys.
          </p>`
    }
  </section>`
}

function renderNewKey(key: string, call: string | undefined): Html {
  return html`<section class="card fresh" aria-labelledby="new-key">
    <h2 id="new-key">Your new key</h2>
    <p>Copy it now. It is shown only once, because only its hash is stored.</p>
    <pre class="key" tabindex="0" data-copy>${key}</pre>
    ${
      call !== undefined &&
      html`<p>Try it in a terminal:</p>
        <pre class="code" tabindex="0" data-copy>${call}</pre>`
    }
    <p class="quiet">
      Programs send the key in the header <code class="whole">x-api-key</code>. More in the
      <a href="/docs#start">quick start</a>.
    </p>
  </section>`
}

function renderUsage({ account, usage, now, contact }: SettingsView): Html {
  const { limit, used, remaining, resetAt } = usage
  const width = limit === 0 ? 100 : Math.min(100, Math.round((1000 * used) / limit) / 10)
  const label = `${formatNumber(used)} of ${formatCount(limit, 'request')} used today`
  return html`<section class="card usage" aria-labelledby="usage">
    <h2 id="usage">Today <span class="chip chip-tier">${account.tier === 'pro' ? 'Pro' : 'Free'}</span></h2>
    <p class="big"><b>${formatNumber(remaining)}</b> of ${formatCount(limit, 'request')} left</p>
    <svg class="gauge" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="${label}">
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
      ${formatNumber(used)} used. The quota resets at
      <time datetime="${resetAt.toISOString()}">00:00 UTC</time>, in ${formatDuration(now, resetAt)}.
      ${account.tier === 'free' && html`Free accounts see only previews. ${renderProHint(contact)}`}
    </p>
  </section>`
}

function renderPassword(view: SettingsView): Html {
  return html`<section class="card" aria-labelledby="password-title">
    <h2 id="password-title">Password</h2>
    <form action="/settings/password" method="post">
      <input type="hidden" name="username" autocomplete="username" value="${view.account.email}" />
      ${renderField({ ...fields.password, label: 'Current password' }, view.error)}
      ${renderField(fields.newPassword, view.error)}
      <p class="actions"><button>Change password</button></p>
    </form>
  </section>`
}

function renderSessions(sessions: readonly SessionSummary[]): Html {
  return html`<section class="card session-card" aria-labelledby="sessions">
    <h2 id="sessions">Sessions</h2>
    <ul class="sessions">
      ${sessions.map(
        ({ createdAt, userAgent, isCurrent }) =>
          html`<li>
            <b title="${escapeBidi(userAgent)}">${describeUserAgent(userAgent)}</b>
            ${isCurrent && html`<span class="chip chip-tier">this session</span>`}
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

// The first match wins, because most browsers also name the browsers that they derive from.
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\b(?:Edg|EdgA|EdgiOS|Edge)\//, 'Edge'],
  [/\b(?:OPR|OPT|OPiOS)\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bDuckDuckGo\//, 'DuckDuckGo'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?Chrome\/|\b(?:CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ (?:Mobile(?:\/\w+)? )?Safari\//, 'Safari'],
]
const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\b(?:Macintosh|Mac OS X)\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]
const PROGRAM = /^(?<name>[A-Za-z][\w.-]{0,30})(?:\/|$)/

/**
 * Describes the browser and system, or the program, that a user agent names. A browser that does
 * not name itself appears as the one that it derives from.
 * @example
 * describeUserAgent('Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0') // 'Firefox on Linux'
 */
export function describeUserAgent(userAgent: string): string {
  const program = PROGRAM.exec(userAgent)?.groups?.['name']
  if (program !== undefined && program !== 'Mozilla' && program !== 'Opera') return program
  const [browser = 'Unknown browser', system] = [browsers, systems].map(
    (names) => names.find(([pattern]) => pattern.test(userAgent))?.[1],
  )
  return system === undefined ? browser : `${browser} on ${system}`
}

interface KeyListView {
  readonly keys: readonly KeyRow[]
  readonly now: Date
  /** Whether keys can be created and rotated; false in recovery mode. */
  readonly canCreateKeys: boolean
  /** Identifies this page's forms, so that sending a form again does not create anything. */
  readonly formToken: string
  readonly error: FormError | undefined
  /** A name for the first key, or the entered one if its form had an error. */
  readonly keyName: string
}

const MAX_INACTIVE = 10

function renderKeys(view: KeyListView): Html {
  const { keys, now, canCreateKeys } = view
  const age = (time: string): number => now.getTime() - Date.parse(time)
  const isActive = ({ revoked_at, expires_at }: KeyRow): boolean =>
    revoked_at === null && (expires_at === null || age(expires_at) < 0)
  const inactive = keys.filter((key) => !isActive(key)).toReversed()
  const undoable = inactive.filter(
    ({ revoked_at }) => canCreateKeys && revoked_at !== null && age(revoked_at) < UNDO_MS,
  )
  return html`<section class="card key-card" aria-labelledby="keys">
    <h2 id="keys">Keys</h2>
    ${undoable.map(renderUndo)}
    ${
      keys.length === 0
        ? html`<p class="quiet">You have no keys yet. Name a key after the program that will use it.</p>`
        : html`<ul class="keys">
              ${keys.filter(isActive).map((key) => renderActiveKey(key, view))}
            </ul>
            <p class="quiet">Rotate gives you a new key; the old one works for 24 more hours.</p>`
    }
    <form class="row" action="/settings/keys" method="post">
      ${renderFormToken(view)}
      ${renderField({ ...fields.keyName, value: view.keyName, isDisabled: !canCreateKeys }, view.error)}
      <p class="actions"><button class="primary" ${!canCreateKeys && 'disabled'}>Create key</button></p>
    </form>
    ${!canCreateKeys && html`<p class="quiet">In recovery mode, keys can be revoked but not created or rotated.</p>`}
    ${
      inactive.length > 0 &&
      html`<details>
        <summary>Inactive keys (${inactive.length})</summary>
        <ul class="keys">
          ${inactive.slice(0, MAX_INACTIVE).map((key) => renderInactiveKey(key))}
        </ul>
      </details>`
    }
  </section>`
}

function renderActiveKey(key: KeyRow, view: KeyListView): Html {
  const { id, created_at, last_used_at, expires_at } = key
  const used = last_used_at === null ? 'never used' : `last used ${formatDay(last_used_at)}`
  return html`<li>
    <div id="${id}">
      ${renderKeyName(key)}
      <span class="quiet">created ${formatDay(created_at)}, ${used}</span>
      ${
        expires_at !== null &&
        html`<span class="quiet"
          ><span class="chip">replaced</span> by a newer key; works until ${formatMinute(expires_at)}</span
        >`
      }
    </div>
    <div class="actions">
      ${
        expires_at === null &&
        html`<form action="/settings/keys/${id}/rotate" method="post">
          ${renderFormToken(view)}
          <button aria-describedby="${id}" ${!view.canCreateKeys && 'disabled'}>Rotate</button>
        </form>`
      }
      <a class="button danger" href="/settings/keys/${id}/revoke" aria-describedby="${id}">Revoke…</a>
    </div>
  </li>`
}

function renderUndo(key: KeyRow): Html {
  return html`<form class="note undo" action="/settings/keys/${key.id}/restore" method="post">
    <span>Revoked ${renderKeyName(key)}.</span> <button>Undo</button>
    <span class="quiet">for a minute</span>
  </form>`
}

export function renderRevoke(key: KeyRow): Html {
  const { id, created_at, last_used_at } = key
  return html`<div class="lead">
      <p class="crumbs"><a href="/settings">Settings</a></p>
      <h1>Revoke this key?</h1>
    </div>
    <section class="card revoke">
      <p>${renderKeyName(key)}</p>
      <p>
        Created ${formatDay(created_at)},
        ${last_used_at === null ? html`<b>never used</b>` : html`<b>last used ${formatMinute(last_used_at)}</b>`}.
        Programs that send it get errors at once. You can undo it for a minute.
      </p>
      <form class="actions" action="/settings/keys/${id}/revoke" method="post">
        <button class="danger">Revoke the key</button>
        <a class="button" href="/settings">Keep it</a>
      </form>
    </section>`
}

function renderFormToken({ formToken }: KeyListView): Html {
  return html`<input type="hidden" name="token" value="${formToken}" />`
}

function renderInactiveKey(key: KeyRow): Html {
  const { revoked_at, expires_at } = key
  const state =
    revoked_at === null
      ? `was replaced and expired ${formatMinute(expires_at ?? '')}`
      : `revoked ${formatMinute(revoked_at)}`
  return html`<li>
    <div>${renderKeyName(key)} <span class="quiet">${state}</span></div>
  </li>`
}

function renderKeyName({ name, last4 }: KeyRow): Html {
  return html`<b>${escapeBidi(name)}</b> <code class="whole">kp_…${last4}</code>`
}
