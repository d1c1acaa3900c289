import type { KeyRow } from '@packs/catalog'
import { escapeBidi, formatDay, formatMinute } from '../../html/display-text.ts'
import { html, type Html } from '@packs/codec/theme'
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
  return html`<section class="card key-card" aria-labelledby="keys">
    <h2 id="keys">Keys</h2>
    ${
      keys.length === 0
        ? html`<p class="quiet">You have no keys yet. Name a key after the program that will use it.</p>`
        : html`<ul class="keys">
            ${keys.filter(isActive).map((key) => renderActiveKey(key, view))}
          </ul>`
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
      <span class="quiet"
        >created ${formatDay(created_at)},
        ${used}${expires_at !== null && html`, expires ${formatMinute(expires_at)}`}</span
      >
    </div>
    <div class="actions">
      <form action="/settings/keys/${id}/rotate" method="post">
        ${renderFormToken(view)}
        <button aria-describedby="${id}" ${!view.canCreateKeys && 'disabled'}>Rotate</button>
      </form>
      <form action="/settings/keys/${id}/revoke" method="post">
        <button class="danger" aria-describedby="${id}">Revoke</button>
      </form>
    </div>
  </li>`
}

function renderFormToken({ formToken }: KeyListView): Html {
  return html`<input type="hidden" name="token" value="${formToken}" />`
}

function renderInactiveKey(key: KeyRow): Html {
  const { revoked_at, expires_at } = key
  const state =
    revoked_at === null ? `expired ${formatMinute(expires_at ?? '')}` : `revoked ${formatMinute(revoked_at)}`
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
