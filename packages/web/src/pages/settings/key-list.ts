import { UNDO_MS, type KeyRow } from '@packs/catalog'
import { escapeBidi, formatDay, formatMinute } from '../../html/display-text.ts'
import { html, type Html } from '@packs/theme'
import { renderField, type FormError } from './form-fields.ts'

export interface KeyListView {
  readonly keys: readonly KeyRow[]
  readonly now: Date
  /** Whether keys can be created and rotated; false in recovery mode. */
  readonly canCreateKeys: boolean
  /** Identifies this page's forms, so that sending a form again does not create anything. */
  readonly formToken: string
  readonly error: FormError | undefined
  /** The entered name, if its form had an error. */
  readonly keyName: string
}

const MAX_INACTIVE = 10

export function renderKeys(view: KeyListView): Html {
  const { keys, now, canCreateKeys } = view
  const isActive = (key: KeyRow): boolean => key.revoked_at === null && !isExpired(key.expires_at, now)
  const inactive = keys.filter((key) => !isActive(key)).toReversed()
  const undoable = canCreateKeys ? inactive.filter((key) => isUndoable(key, now)) : []
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
      ${renderField(
        {
          id: 'name',
          name: 'name',
          label: 'Name of a new key',
          autocomplete: 'off',
          maxLength: 100,
          value: view.keyName,
          isDisabled: !canCreateKeys,
        },
        view.error,
      )}
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

/** Offers to undo a revocation, for a minute. */
function renderUndo(key: KeyRow): Html {
  return html`<form class="note undo" action="/settings/keys/${key.id}/restore" method="post">
    <span>Revoked ${renderKeyName(key)}.</span> <button>Undo</button>
    <span class="quiet">for a minute</span>
  </form>`
}

/** Renders the page that asks before a key is revoked. */
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

function isUndoable({ revoked_at }: KeyRow, now: Date): boolean {
  return revoked_at !== null && now.getTime() - Date.parse(revoked_at) < UNDO_MS
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

function isExpired(time: string | null, now: Date): boolean {
  return time !== null && Date.parse(time) <= now.getTime()
}
