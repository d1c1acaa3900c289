import type { Scheme } from '@packs/codec'
import { findScheme, type LinkForm, SCHEME_NAMES } from '@packs/codec/internal'
import { html, type Html, renderLitPrompt } from '@packs/theme'
import type { FastifyReply } from 'fastify'
import { formatCount } from '../../html/display-text.ts'
import { describePromptSaving, renderPrompt, renderRecipes, renderShareBar } from '../../html/lit-prompt.ts'
import type { Recipe } from '../../html/lit-prompt.ts'
import { barKey, measureCost, renderCostBar, schemeWords } from '../../html/pack-figures.ts'
import type { PagePrompt, PromptOptions } from '../../documents/read-document.ts'
import type { SiteFacts } from '../page.ts'
import { createTag, isKnownTag, MARKDOWN_TYPE, readLinkForm, readQuery } from '../serve-page.ts'
import { limitPrompts, openAccess, renderPreviewNote } from './open-pack.ts'
import type { Access, OpenedPack, PackDependencies } from './open-pack.ts'
import { renderAdd, sendPackPage } from './pack-shell.ts'

export async function showUse(dependencies: PackDependencies, opened: OpenedPack): Promise<FastifyReply> {
  const { access, options, prompt } = await readPrompt(dependencies, opened)
  const main = renderUse(opened, access, options, prompt, dependencies.site)
  return sendPackPage(dependencies, opened, 'use', main, {
    title: `Use ${opened.version.title}`,
    canCopy: true,
    script: 'terms',
  })
}

/** Sends that prompt as a file, with its addresses in place unless the URL says otherwise. */
export async function sendUse(dependencies: PackDependencies, opened: OpenedPack): Promise<FastifyReply> {
  const { reply } = opened
  const { request } = reply
  const { prompt } = await readPrompt(dependencies, opened, readLinkForm(request.url))
  const etag = createTag(prompt.text)
  reply.headers({ etag, 'cache-control': 'private, no-cache' })
  if (isKnownTag(request, etag)) return reply.code(304).send()
  if (readQuery(request.url)['download'] === '1')
    reply.header('content-disposition', `attachment; filename="${opened.version.slug}.prompt.md"`)
  return reply.type(MARKDOWN_TYPE).send(prompt.text)
}

async function readPrompt(
  dependencies: PackDependencies,
  opened: OpenedPack,
  links?: LinkForm,
): Promise<{ readonly access: Access; readonly options: PromptOptions; readonly prompt: PagePrompt }> {
  const access = await openAccess(dependencies, opened, [opened.version])
  const { scheme } = readQuery(opened.reply.request.url)
  // An unknown scheme means that of the pack.
  const options = { scheme: SCHEME_NAMES.find((name) => name === scheme), links }
  return { access, options, prompt: await composeFor(dependencies, opened, access, options) }
}

/** @throws WebError `too_many_pages` */
export async function composeFor(
  dependencies: PackDependencies,
  { version, viewer, owner: network, now }: OpenedPack,
  access: Access,
  options: PromptOptions,
): Promise<PagePrompt> {
  const owner = viewer.account?.id ?? network
  const admit = (): void => limitPrompts(dependencies, access, owner, now)
  const { scope } = access
  const { prompt } = await dependencies.documents.read({
    version,
    part: 'prompt',
    scope,
    options,
    owner,
    admit,
  })
  return prompt!
}

function renderUse(
  opened: OpenedPack,
  access: Access,
  { scheme }: PromptOptions,
  prompt: PagePrompt,
  site: SiteFacts,
): Html {
  const { version } = opened
  const isFull = access.scope === 'full'
  const isBuilt = isFull && scheme === undefined
  const cost = measureCost(version)
  const source = isFull ? cost.source : prompt.sources
  // Of the pack as it was built, all pages show the cost without what a prompt adds.
  const tokens = isBuilt ? cost.paid : prompt.tokens
  const copied = prompt.inline ?? prompt.tokens
  const isTooLong = prompt.inline === undefined && Object.keys(prompt.links).length > 0
  const file = formatScheme(
    `/browse/${version.slug}/${version.version}/use.md`,
    scheme,
    isTooLong ? 'number' : undefined,
  )
  return html`<section class="text lit use" aria-labelledby="~use">
    <h2 id="~use" class="label">${isFull ? 'Prompt' : 'Prompt of the preview'}</h2>
    ${access.scope === 'preview' && renderPreviewNote(access, 'This prompt has only the preview', `${opened.path}/use`, opened.now, site.contact)}
    <div class="paid">
      <p>
        <b class="paid-tokens">${formatCount(tokens, 'token')}</b>
        ${tokens !== source && html`<span>source ${formatCount(source, 'token')}</span>`}
        ${(isFull || tokens < source) && html`<span class="${tokens < source ? 'saving' : 'quiet'}">${describePromptSaving(tokens, source)}</span>`}
      </p>
      ${tokens < source && (isBuilt ? html`${renderCostBar(version)} ${barKey}` : renderShareBar(tokens, source))}
      ${
        copied !== tokens &&
        html`<p class="quiet">
          A copy has ${formatCount(copied, 'token')}, with instruction,
          tags${prompt.inline !== undefined && ' and the addresses of its links'}.
        </p>`
      }
    </div>
    ${renderSchemes(opened, scheme, isFull)}
    ${prompt.isTooLarge && html`<p class="note">This text is too large to compress here, so it is the source.</p>`}
    ${renderRecipes(listRecipes(version.slug, site.baseUrl))}
    ${renderPrompt({
      lit: renderLitPrompt(prompt),
      tokens: copied,
      isNumbered: prompt.inline !== undefined,
      path: file,
      sample: `${version.title} ${version.lead ?? ''}`,
      more: renderAdd(opened),
    })}
  </section>`
}

function formatScheme(path: string, scheme: Scheme | undefined, links?: LinkForm): string {
  const query = new URLSearchParams({ ...(scheme && { scheme }), ...(links && { links }) })
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

/** Renders the schemes as links, the one in use marked. */
function renderSchemes({ path, version }: OpenedPack, scheme: Scheme | undefined, isFull: boolean): Html {
  const link = (name: string, target: Scheme | undefined, id: string): Html =>
    html`<li>
      <a
        href="${formatScheme(`${path}/use`, target)}"
        rel="nofollow"
        title="${id}"
        ${target === scheme && html`aria-current="true"`}
        >${name}</a
      >
    </li>`
  // The scheme of the pack is not offered twice.
  const others = SCHEME_NAMES.filter((name) => name !== version.compression || name === scheme)
  const [builtName] = schemeWords[findScheme(version.compression)!]
  const [name, meaning] = schemeWords[findScheme(scheme ?? version.compression)!]
  return html`<div class="choices">
    <p id="~scheme">Scheme</p>
    <ul aria-labelledby="~scheme">
      ${link(isFull ? `as built, ${builtName}` : builtName, undefined, version.compression)}
      ${others.map((other) => link(schemeWords[other][0], other, other))}
    </ul>
    <p class="choice-note">${name}: ${meaning}. <a href="/docs#packs">What are schemes?</a></p>
  </div>`
}

/** Lists how programs get the pack; each works with the key of a Free account, too. */
export function listRecipes(slug: string, baseUrl: string): readonly Recipe[] {
  const docs = `const docs = await openDocs({ url: '${baseUrl}', key: process.env.PACK_KEY })`
  const client = `import { openDocs } from '@packs/client'\n`
  const url = `${baseUrl}/mcp`
  const server = (key: string): object => ({ url, headers: { Authorization: `Bearer ${key}` } })
  const code = JSON.stringify({ name: 'packs', type: 'http', ...server('KEY') }).replace(
    'KEY',
    `'"$PACK_KEY"'`,
  )
  return [
    {
      name: 'curl',
      about: 'the text of the pack, in tags',
      line: `curl -H "x-api-key: $PACK_KEY" -H "accept: text/markdown" "${baseUrl}/api/v1/context?pack=${slug}"`,
    },
    {
      name: 'TypeScript',
      about: 'the text of the pack; it runs in a clone of Packs, which has @packs/client',
      line: `${client}${docs}\nconst { text } = await docs.read('${slug}')`,
    },
    {
      name: 'Claude Code',
      about: 'the model searches all packs of this catalog and reads them, over MCP',
      line: `claude mcp add --transport http packs ${url} --header "Authorization: Bearer $PACK_KEY"`,
    },
    {
      name: 'Cursor',
      about: 'the same; in .cursor/mcp.json of a project, or in ~/.cursor/mcp.json',
      line: JSON.stringify({ mcpServers: { packs: server('${env:PACK_KEY}') } }, undefined, 2),
    },
    { name: 'VS Code', about: 'the same; in a shell', line: `code --add-mcp '${code}'` },
    {
      name: 'AI SDK',
      about: 'the same as tools for generateText; it runs in a clone of Packs, which has @packs/ai-sdk',
      line: `${client}import { packTools } from '@packs/ai-sdk'\n${docs}\nconst tools = await packTools(docs)`,
    },
  ]
}
