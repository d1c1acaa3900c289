import type { TokenizerName } from '@packs/codec/compress'
import { findScheme, type LinkForm, SCHEME_NAMES, tokenizerNames } from '@packs/codec/internal'
import { html, type Html, renderLitPrompt } from '@packs/theme'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatCount } from '../../html/display-text.ts'
import { describePromptSaving, renderPrompt, renderRecipes, renderShareBar } from '../../html/lit-prompt.ts'
import type { Recipe } from '../../html/lit-prompt.ts'
import { barKey, measureCost, renderCostBar, schemeWords } from '../../html/pack-figures.ts'
import type { PagePrompt, PromptOptions } from '../../documents/read-document.ts'
import { formatSignInPath } from '../../security/cross-site-protection.ts'
import { type SiteFacts, renderProHint } from '../page.ts'
import { createTag, isKnownTag, MARKDOWN_TYPE, readLinkForm, readQuery } from '../serve-page.ts'
import { describeExceededQuota, limitPrompts, openAccess } from './open-pack.ts'
import type { Access, OpenedPack, PackDependencies } from './open-pack.ts'
import { sendPackPage } from './pack-shell.ts'

export async function showUse(dependencies: PackDependencies, opened: OpenedPack): Promise<FastifyReply> {
  const { access, options, prompt } = await readPrompt(dependencies, opened)
  const main = renderUse(opened, access, options, prompt, dependencies.site)
  return sendPackPage(dependencies, opened, 'use', main, {
    title: `Use ${opened.version.title}`,
    isPreview: access.scope === 'preview',
    script: 'terms',
  })
}

/** Sends that prompt as a file, with its addresses in place unless the URL says otherwise. */
export async function sendUse(dependencies: PackDependencies, opened: OpenedPack): Promise<FastifyReply> {
  const { reply } = opened
  const { request } = reply
  const { prompt } = await readPrompt(dependencies, opened, undefined, readLinkForm(request.url))
  const etag = createTag(prompt.text)
  reply.headers({ etag, 'cache-control': 'private, no-cache' })
  if (isKnownTag(request, etag)) return reply.code(304).send()
  if (readQuery(request.url)['download'] === '1')
    reply.header('content-disposition', `attachment; filename="${opened.version.slug}.prompt.md"`)
  return reply.type(MARKDOWN_TYPE).send(prompt.text)
}

/** Links to the two ways to read a whole text: as its author wrote it, and as models get it. */
export function renderViews({ path, version }: OpenedPack, current: 'people' | 'models'): Html | false {
  if (version.compression === 'none') return false
  const link = (view: typeof current, target: string, name: string): Html =>
    html`<li>
      <a href="${target}" rel="nofollow" ${view === current && html`aria-current="true"`}>${name}</a>
    </li>`
  return html`<div class="choices">
    <p id="~view">Show</p>
    <ul aria-labelledby="~view">
      ${link('people', path, 'the source')} ${link('models', `${path}?view=models`, 'what models read')}
    </ul>
  </div>`
}

export async function showModelText(
  dependencies: PackDependencies,
  opened: OpenedPack,
  access: Access,
): Promise<FastifyReply> {
  const { version } = opened
  const { prompt } = await readPrompt(dependencies, opened, access)
  const main = html`<section class="text lit use" aria-label="What models read">
    ${renderViews(opened, 'models')}
    ${renderPrompt({
      lit: renderLitPrompt(prompt),
      tokens: prompt.inline ?? prompt.tokens,
      isNumbered: prompt.inline !== undefined,
      path: `/browse/${version.slug}/${version.version}/use.md`,
      sample: `${version.title} ${version.lead ?? ''}`,
    })}
  </section>`
  return sendPackPage(dependencies, opened, 'read', main, { script: 'terms' })
}

/** @param known decided if absent */
async function readPrompt(
  dependencies: PackDependencies,
  opened: OpenedPack,
  known?: Access,
  links?: LinkForm,
): Promise<{ readonly access: Access; readonly options: PromptOptions; readonly prompt: PagePrompt }> {
  const { version, viewer, now } = opened
  const access = known ?? (await openAccess(dependencies, opened, [version]))
  const options = { ...readOptions(opened.reply.request, version.tokenizer), links }
  const owner = viewer.account?.id ?? opened.owner
  const { prompt } = await dependencies.documents.read({
    version,
    part: 'prompt',
    scope: access.scope,
    options,
    owner,
    admit: () => limitPrompts(dependencies, access, owner, now),
  })
  return { access, options, prompt: prompt! }
}

/** Unknown values mean the default. */
function readOptions({ url }: FastifyRequest, own: TokenizerName): PromptOptions {
  const { scheme, tokenizer } = readQuery(url)
  return {
    scheme: SCHEME_NAMES.find((name) => name === scheme),
    tokenizer: tokenizerNames.find((name) => name === tokenizer && name !== own),
  }
}

function renderUse(
  opened: OpenedPack,
  access: Access,
  options: PromptOptions,
  prompt: PagePrompt,
  site: SiteFacts,
): Html {
  const { version } = opened
  const { tokens } = prompt
  const isFull = access.scope === 'full'
  const isOwnCount = options.tokenizer === undefined && isFull
  const source = isOwnCount ? measureCost(version).source : prompt.sources
  const lit = renderLitPrompt(prompt)
  const file = formatOptions(`/browse/${version.slug}/${version.version}/use.md`, options)
  return html`<section class="text lit use" aria-labelledby="~use">
    <h2 id="~use" class="label">${isFull ? 'Prompt' : 'Prompt of the preview'}</h2>
    ${access.scope === 'preview' && renderPreviewNote(opened, access, site)}
    <div class="paid">
      <p>
        <b class="paid-tokens">${formatCount(tokens, 'token')}</b>
        ${tokens !== source && html`<span>source ${formatCount(source, 'token')}</span>`}
        ${(isFull || tokens < source) && html`<span class="${tokens < source ? 'saving' : 'quiet'}">${describePromptSaving(tokens, source)}</span>`}
      </p>
      ${tokens < source && (isOwnCount && options.scheme === undefined ? html`${renderCostBar(version)} ${barKey}` : renderShareBar(tokens, source))}
    </div>
    ${renderChoices(opened, options, isFull)}
    ${prompt.isTooLarge && html`<p class="note">This text is too large to compress here, so it is the source.</p>`}
    ${renderPrompt({
      lit,
      tokens: prompt.inline ?? tokens,
      isNumbered: prompt.inline !== undefined,
      path: file,
      sample: `${version.title} ${version.lead ?? ''}`,
      more: html`<a class="button wide-only" href="/prompt?pack=${version.slug}"
        >Combine with other packs</a
      >`,
    })}
    ${renderRecipes(listRecipes(version.slug, site.baseUrl))}
  </section>`
}

function renderPreviewNote(
  { version, path, viewer, now }: OpenedPack,
  access: Access & { readonly scope: 'preview' },
  { contact }: SiteFacts,
): Html {
  if (access.reason === 'quota-exceeded') {
    const { reason, hint } = describeExceededQuota(access.state, now)
    return html`<p class="note">This prompt has only the preview. ${reason}. ${hint}</p>`
  }
  return html`<p class="note">
    This prompt has only the preview. Pro accounts get the whole pack,
    ${formatCount(measureCost(version).paid, 'token')}. ${renderProHint(contact)}
    ${viewer.account === undefined && html`<a href="${formatSignInPath(`${path}/use`)}">Sign in</a> if you have one.`}
  </p>`
}

function formatOptions(path: string, { scheme, tokenizer }: PromptOptions): string {
  const query = new URLSearchParams()
  if (scheme !== undefined) query.set('scheme', scheme)
  if (tokenizer !== undefined) query.set('tokenizer', tokenizer)
  return query.size > 0 ? `${path}?${query.toString()}` : path
}

/** Renders the schemes and tokenizers as links, the one in use marked. */
function renderChoices(
  { path, version }: OpenedPack,
  { scheme, tokenizer }: PromptOptions,
  isFull: boolean,
): Html {
  const link = (name: string, change: Partial<PromptOptions>, isCurrent: boolean, title?: string): Html => {
    const target = formatOptions(`${path}/use`, { scheme, tokenizer, ...change })
    return html`<li>
      <a
        href="${target}"
        rel="nofollow"
        ${title !== undefined && html`title="${title}"`}
        ${isCurrent && html`aria-current="true"`}
        >${name}</a
      >
    </li>`
  }
  // The scheme of the pack is not offered twice.
  const others = SCHEME_NAMES.filter((name) => name !== version.compression || name === scheme)
  const shown = scheme ?? version.compression
  const [builtName] = schemeWords[findScheme(version.compression)!]
  const [name, meaning] = schemeWords[findScheme(shown)!]
  const counters = new Set([version.tokenizer, ...tokenizerNames])
  return html`<div class="choices">
    <p id="~scheme">Scheme</p>
    <ul aria-labelledby="~scheme">
      ${link(isFull ? `as built, ${builtName}` : builtName, { scheme: undefined }, scheme === undefined, version.compression)}
      ${others.map((other) => link(schemeWords[other][0], { scheme: other }, scheme === other, other))}
    </ul>
    <p class="choice-note">
      ${name}, <code>${shown}</code>: ${meaning}. <a href="/docs#packs">What are schemes?</a>
    </p>
    <p id="~tokenizer">Tokenizer</p>
    <ul aria-labelledby="~tokenizer">
      ${Array.from(counters, (name) => {
        const wanted = name === version.tokenizer ? undefined : name
        return link(name, { tokenizer: wanted }, tokenizer === wanted)
      })}
    </ul>
  </div>`
}

/** Lists how programs get the pack. Keys come from the environment. */
export function listRecipes(slug: string, baseUrl: string): readonly Recipe[] {
  const docs = `const docs = await openDocs({ url: '${baseUrl}', key: process.env.PACK_KEY })`
  const server = { type: 'http', url: `${baseUrl}/mcp`, headers: { Authorization: 'Bearer kp_…' } }
  return [
    {
      name: 'curl',
      about: 'the text of the pack, in tags',
      line: `curl -H "x-api-key: $PACK_KEY" -H "accept: text/markdown" "${baseUrl}/api/v1/context?pack=${slug}"`,
    },
    {
      name: '@packs/client',
      about: 'its prompt, verified on your machine',
      line: `${docs}\nconst { text } = await docs.prompt(['${slug}'])`,
    },
    {
      name: 'MCP',
      about: 'for hosts such as Claude Code, Cursor and VS Code',
      line: JSON.stringify({ mcpServers: { packs: server } }),
    },
    {
      name: 'AI SDK',
      about: 'the model finds and reads packs by itself',
      line: `${docs}\nawait generateText({ model, tools: await packTools(docs), stopWhen: isStepCount(5), prompt })`,
    },
  ]
}
