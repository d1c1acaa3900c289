import type { KeyRow } from '@packs/catalog'
import { formatDay, formatMinute } from '../../html/format-values.ts'
import { html, type Html } from '../../html/html.ts'
import { showHidden } from '../../html/display-text.ts'
import { findRefusal, renderField, type Refusal } from './render-field.ts'

export interface KeyListView {
  readonly keys: readonly KeyRow[]
  readonly now: Date
  /** Whether keys can be made and replaced; not in recovery mode. */
  readonly canMakeKeys: boolean
  /** Names this page's forms, so that one that is sent again makes nothing. */
  readonly formToken: string
  readonly refusal: Refusal | undefined
  /** The name that was typed for a key that was refused. */
  readonly keyName: string
}

/** Revoked and ended keys that are listed. */
const MOST_ENDED = 10

/** The keys of an account, with the form for another. */
export function renderKeys(view: KeyListView): Html {
  const { keys, now, canMakeKeys } = view
  const isGood = (key: KeyRow): boolean => key.revoked_at === null && !isOver(key.expires_at, now)
  const ended = keys.filter((key) => !isGood(key)).toReversed()
  return html`<section class="card key-card" aria-labelledby="keys">
    <h2 id="keys">Keys</h2>
    ${
      keys.length === 0
        ? html`<p class="quiet">You have no keys yet. Name one for the program that will use it.</p>`
        : html`<ul class="keys">
            ${keys.filter(isGood).map((key) => renderGood(key, view))}
          </ul>`
    }
    <form class="row" action="/settings/keys" method="post">
      ${renderToken(view)}
      ${renderField({
        id: 'name',
        name: 'name',
        label: 'Name of a new key',
        autocomplete: 'off',
        longest: 100,
        value: view.keyName,
        refusal: findRefusal(view.refusal, 'name'),
        isDisabled: !canMakeKeys,
      })}
      <p class="actions"><button class="primary" ${!canMakeKeys && 'disabled'}>Create key</button></p>
    </form>
    ${!canMakeKeys && html`<p class="quiet">Keys can neither be created nor rotated in recovery mode; they can be revoked.</p>`}
    ${
      ended.length > 0 &&
      html`<details>
        <summary>Keys that are no longer good (${ended.length})</summary>
        <ul class="keys">
          ${ended.slice(0, MOST_ENDED).map((key) => renderEnded(key))}
        </ul>
      </details>`
    }
  </section>`
}

function renderGood(key: KeyRow, view: KeyListView): Html {
  const { id, created_at, last_used_at, expires_at } = key
  const used = last_used_at === null ? 'never used' : `last used ${formatDay(last_used_at)}`
  return html`<li>
    <div id="${id}">
      ${renderName(key)}
      <span class="quiet"
        >made ${formatDay(created_at)},
        ${used}${expires_at !== null && html`, ends ${formatMinute(expires_at)}`}</span
      >
    </div>
    <div class="actions">
      <form action="/settings/keys/${id}/rotate" method="post">
        ${renderToken(view)}
        <button aria-describedby="${id}" ${!view.canMakeKeys && 'disabled'}>Rotate</button>
      </form>
      <form action="/settings/keys/${id}/revoke" method="post">
        <button class="danger" aria-describedby="${id}">Revoke</button>
      </form>
    </div>
  </li>`
}

function renderToken({ formToken }: KeyListView): Html {
  return html`<input type="hidden" name="token" value="${formToken}" />`
}

function renderEnded(key: KeyRow): Html {
  const { revoked_at, expires_at } = key
  const words =
    revoked_at === null ? `ended ${formatMinute(expires_at ?? '')}` : `revoked ${formatMinute(revoked_at)}`
  return html`<li>
    <div>${renderName(key)} <span class="quiet">${words}</span></div>
  </li>`
}

function renderName({ name, last4 }: KeyRow): Html {
  return html`<b>${showHidden(name)}</b> <code class="whole">kp_…${last4}</code>`
}

function isOver(time: string | null, now: Date): boolean {
  return time !== null && Date.parse(time) <= now.getTime()
}
