import { isAbsolute } from 'node:path'
import { html, type Html } from '@packs/theme'
import { escapeBidi, formatCount, formatDay, formatNumber } from '../../html/display-text.ts'
import { measureCost, renderCostBar } from '../../html/pack-figures.ts'
import { renderProHint } from '../page.ts'
import type { Access } from './decide-access.ts'
import type { OpenedPack } from './open-pack.ts'

/** Renders what a version costs in a prompt, and what its source would. */
export function renderCost({ version }: OpenedPack, isPreview: boolean): Html {
  const { source, prompt, content, saved } = measureCost(version)
  const row = (kind: string, name: string, tokens: number): Html =>
    html`<div class="legend-${kind}">
      <dt>${name}</dt>
      <dd>${formatNumber(tokens)}</dd>
    </div>`
  return html`<section class="card" aria-labelledby="~cost">
    <h2 id="~cost">${isPreview ? 'The whole pack in a prompt' : 'Cost in a prompt'}</h2>
    <p class="cost-figure"><b>${formatNumber(prompt)}</b> ${prompt === 1 ? 'token' : 'tokens'}</p>
    ${
      saved > 0
        ? html`${renderCostBar(version)}
            <dl class="legend">
              ${row('content', 'Content', content)}
              ${content < prompt && row('header', 'Header, instruction', prompt - content)}
              ${row('saved', `Saved, ${formatNumber(Math.round((100 * saved) / source))} %`, saved)}
              ${row('sum', 'Source', source)}
            </dl>`
        : html`<p>
            Sent as it is: shortening would save
            nothing.${prompt > source && ` Its title and description add ${formatCount(prompt - source, 'token')}.`}
          </p>`
    }
    <p class="quiet">Tokenizer ${version.tokenizer}${saved > 0 && `, scheme ${version.compression}`}</p>
  </section>`
}

/** Renders what the version was published from, by whom, and how to check it. */
export function renderTrust({ version, provenance }: OpenedPack): Html {
  const { path = '-', git_commit: commit = null } = provenance ?? {}
  const signers = version.signatures.map(({ key_id }) => key_id)
  const digest = (name: string, value: string): Html =>
    html`<dt>${name}</dt>
      <dd><code class="digest">${value}</code></dd>`
  return html`<section class="card" aria-labelledby="~trust">
    <h2 id="~trust">Trust</h2>
    <ul class="trust">
      <li class="verified"><b>Round trip verified:</b> restores its source byte for byte</li>
      <li>
        Version ${version.version}, published
        <time datetime="${version.published_at}">${formatDay(version.published_at)}</time>
      </li>
      ${
        path !== '-' &&
        html`<li>
          From
          <bdi class="source-path">${escapeBidi(namePath(path))}</bdi
          >${commit !== null && html` at commit <code>${commit.slice(0, 10)}</code>`}
        </li>`
      }
      ${
        signers.length === 0
          ? html`<li>Not signed by its publisher</li>`
          : signers.map((id) => html`<li>Signed by <code class="digest">${id}</code></li>`)
      }
    </ul>
    <details>
      <summary>Digests, and how to check</summary>
      <dl>
        ${digest('SHA-256 of the source', version.sha256)}
        ${digest('Digest of the pack', version.pack_digest)}
      </dl>
      <p class="quiet">
        <code>pack check FILE</code> decodes a download and compares both digests; <code>--key ID</code> asks
        for a signer. Operators run <code>pack verify</code>.
      </p>
    </details>
  </section>`
}

/** Renders the downloads that the viewer may have. */
export function renderDownloads({ path }: OpenedPack, access: Access, contact: string | undefined): Html {
  const isFull = access.scope === 'full'
  return html`<section class="card" aria-labelledby="~get">
    <h2 id="~get">Get it</h2>
    <ul class="downloads">
      ${
        isFull &&
        html`<li>
          <a class="button" href="${path}.pack.json">Download pack <span class="kind">.pack.json</span></a>
        </li>`
      }
      <li>
        <a class="button" href="${path}.md${isFull && '?full=1'}"
          >Download ${isFull ? 'text' : 'preview'} <span class="kind">.md</span></a
        >
      </li>
    </ul>
    <p class="quiet">
      ${isFull ? 'The pack has its header; the text is its source, byte for byte.' : html`Pro accounts get the whole pack. ${renderProHint(contact)}`}
      ${access.reason === 'pro' && html`A version costs one request a day. You have ${formatNumber(access.state.remaining)} left.`}
    </p>
  </section>`
}

/** Shows a path below the folder of the publisher, and of any other only the file. */
function namePath(path: string): string {
  return isAbsolute(path) || /^\.\.[/\\]|^[a-z]:/i.test(path) ? path.replace(/^.*[/\\]/s, '') : path
}
