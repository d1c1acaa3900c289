import { html, trustMarkup, type Html } from '@packs/theme'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatCount, formatNumber, renderLangAttribute } from '../../html/display-text.ts'
import type { Rendering } from '../../markdown/create-renderer.ts'
import { formatSignInPath } from '../../security/cross-site-protection.ts'
import { WebError } from '../../web-error.ts'
import { renderProHint } from '../page.ts'
import { readQuery } from '../serve-page.ts'
import {
  describeExceededQuota,
  type Access,
  openAccess,
  type OpenedPack,
  type PackDependencies,
} from './open-pack.ts'
import { renderContents } from './pack-about.ts'
import { renderPackShell, renderDownloads } from './pack-shell.ts'

/** The text of a version that a visitor may see. */
interface ReadView {
  readonly opened: OpenedPack
  readonly access: Access
  readonly rendering: Rendering
  /** Of the operator. */
  readonly contact: string | undefined
}

/** Shows the text of a version. */
export async function showRead(
  dependencies: PackDependencies,
  opened: OpenedPack,
  _request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { pages, renderer, documents, site } = dependencies
  const { version, viewer, owner } = opened
  const access = await openAccess(dependencies, opened)
  const { title, description, pack_digest } = version
  const { scope } = access
  const rendering = await renderer.render({
    key: `${pack_digest} ${scope}`,
    title,
    owner,
    async load() {
      const { beginning } = await documents.read({ version, part: 'beginning', scope, owner })
      return beginning!
    },
  })
  const main = renderPackShell(
    opened,
    'read',
    renderText({ opened, access, rendering, contact: site.contact }),
    {
      sample: stripTags(rendering),
      side: renderDownloads(opened, access, site.contact),
      contents: renderContents(rendering, scope),
      isPreview: scope === 'preview',
    },
  )
  return pages.send(reply, {
    title,
    description: description ?? version.lead,
    viewer,
    main,
    section: 'browse',
    canonical: `/browse/${version.slug}`,
    connects: true,
  })
}

/**
 * Sends the text of a section that the viewer may see whole. It costs no request of its own: the
 * version is paid once a day.
 */
export async function sendSection(
  dependencies: PackDependencies,
  opened: OpenedPack,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { version, owner, path } = opened
  const reader = dependencies.sections.for(owner)
  const found = await reader.find(version.sequence, String(readQuery(request.url)['id'] ?? ''))
  const links = [{ path, name: 'Back to the pack' }]
  if (found?.section === undefined)
    throw new WebError('page_not_found', 'The pack has no such section', 'Choose one from its contents.', {
      links,
    })
  const { scope } = await openAccess(dependencies, opened)
  if (scope === 'preview' && found.section.end > found.preview)
    throw new WebError(
      'tier_required',
      'This section is beyond the preview',
      'Pro accounts see all sections.',
      { links },
    )
  const text = await reader.text(version.sequence, found.section, scope)
  return reply.header('cache-control', 'private, no-cache').type('text/plain; charset=utf-8').send(text)
}

function renderText(view: ReadView): Html {
  const { access, rendering, opened, contact } = view
  const { version } = opened
  const { opening, contents } = rendering
  const { total } = contents
  const isEmpty = rendering.markup.trim() === ''
  const sections = `/browse/${version.slug}/${version.version}/section?id=`
  return html`<section class="text" aria-label="${access.scope === 'full' ? 'Text' : 'Preview'}">
    ${!rendering.isWhole && !isEmpty && access.scope === 'preview' && renderPreviewNote(access, opened)}
    <div
      class="prose"
      id="~intro"
      dir="auto"
      ${renderLangAttribute(stripTags(rendering))}
      data-sections="${sections}"
    >
      ${
        opening !== undefined &&
        html`<p class="opening" dir="ltr">
          <button type="button" class="copy" hidden data-copy-section="${opening.id}">
            Copy ${formatCount(opening.tokens, 'token')}
          </button>
        </p>`
      }
      ${trustMarkup(rendering.markup)}
    </div>
    ${isEmpty && renderNoTextNote(view)}
    ${
      !rendering.isWhole &&
      !isEmpty &&
      access.reason !== 'quota-exceeded' &&
      html`<p class="ending">
        <b>The preview ends here</b>${total > 1 && ` ${describePosition(rendering)}`}.
        ${renderProHint(contact)}
      </p>`
    }
    ${
      rendering.isTruncated &&
      html`<p class="note">
        This page shows only the beginning.
        <a href="${opened.path}.md${access.scope === 'full' && '?full=1'}">Download the text</a> to read the
        rest.
      </p>`
    }
  </section>`
}

function describePosition({ contents: { entries, total } }: Rendering): string {
  const shown = entries.filter(({ isLinked }) => isLinked).length
  return `in section ${formatNumber(Math.max(1, shown))} of ${formatNumber(total)}`
}

/** Returns the beginning of the text without tags. */
function stripTags({ markup }: Rendering): string {
  return markup.slice(0, 8000).replace(/<[^<>]*>/g, '')
}

function renderNoTextNote({ access, opened }: ReadView): Html {
  if (access.scope === 'full') return html`<p class="quiet">This pack has no text.</p>`
  return html`<p class="quiet">
    This pack is too short for a preview.
    ${access.reason === 'visitor' && html`<a href="${formatSignInPath(opened.path)}">Sign in</a> with a Pro account to see it.`}
  </p>`
}

function renderPreviewNote(access: Access & { scope: 'preview' }, { path, now }: OpenedPack): Html {
  switch (access.reason) {
    case 'visitor':
      return html`<p class="note">
        This is the beginning of the pack. <a href="${formatSignInPath(path)}">Sign in</a> with a Pro account
        to see all of it.
      </p>`
    case 'free':
      return html`<p class="note">
        This is the beginning of the pack. Your account is Free; Pro accounts see all of it.
      </p>`
    case 'quota-exceeded': {
      const { reason, hint } = describeExceededQuota(access.state, now)
      return html`<p class="note">This is only the beginning of the pack. ${reason}. ${hint}</p>`
    }
  }
}
