import type { Scheme } from '@packs/codec'
import { html, type Html } from '@packs/codec/theme'
import { tokenizerNames, type TokenizerName } from '@packs/codec/tokens'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatCount } from '../../html/display-text.ts'
import {
  describePromptSaving,
  type Recipe,
  renderLitPrompt,
  renderPrompt,
  renderRecipes,
  renderShareBar,
} from '../../html/lit-prompt.ts'
import { barKey, measureCost, renderCostBar } from '../../html/pack-figures.ts'
import type { PagePrompt } from '../../prompts/compose-page-prompt.ts'
import { formatSignInPath } from '../../security/cross-site-protection.ts'
import type { SiteFacts } from '../page.ts'
import { readQuery } from '../serve-page.ts'
import { describeExceededQuota, type Access } from './decide-access.ts'
import { openAccess, type OpenedPack, type PackDependencies } from './open-pack.ts'
import { renderProHint } from '../page.ts'
import { renderPackShell } from './pack-shell.ts'

const SCHEMES: readonly Scheme[] = ['none', 'glossary-1', 'dense-1', 'max-1']

/** How the visitor wants the prompt; undefined is as built, in the tokenizer of the pack. */
interface UseOptions {
  readonly scheme: Scheme | undefined
  readonly tokenizer: TokenizerName | undefined
}

/** Shows the prompt of a version, ready to paste. */
export async function showUse(
  dependencies: PackDependencies,
  opened: OpenedPack,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { pages, composer, site } = dependencies
  const { version, viewer, now, owner } = opened
  const access = await openAccess(dependencies, opened)
  const options = readOptions(request, version.tokenizer)
  const result = await composer.compose(
    {
      packs: [version.sequence],
      sections: [],
      scope: access.scope,
      options: { ...options, asBuilt: options.scheme === undefined },
    },
    { owner: viewer.account?.id ?? owner, response: reply.raw, now, isCharged: access.reason === 'pro' },
  )
  const main =
    'fault' in result
      ? html`<section class="text"><p class="note">${result.fault}.</p></section>`
      : renderUse(opened, access, options, result.prompt, site)
  return pages.send(reply, {
    title: `Use ${version.title}`,
    description: version.description ?? version.lead,
    viewer,
    main: renderPackShell(opened, 'use', main, { isPreview: access.scope === 'preview' }),
    section: 'browse',
    canonical: `/browse/${version.slug}`,
    script: 'prompt',
  })
}

/** Unknown values mean the default. */
function readOptions({ url }: FastifyRequest, own: TokenizerName): UseOptions {
  const { scheme, tokenizer } = readQuery(url)
  return {
    scheme: SCHEMES.find((name) => name === scheme),
    tokenizer: tokenizerNames.find((name) => name === tokenizer && name !== own),
  }
}

function renderUse(
  opened: OpenedPack,
  access: Access,
  options: UseOptions,
  prompt: PagePrompt,
  site: SiteFacts,
): Html {
  const { version } = opened
  const { tokens } = prompt
  const isFull = access.scope === 'full'
  const isOwnCount = options.tokenizer === undefined && isFull
  const source = isOwnCount ? measureCost(version).source : prompt.sources
  const lit = renderLitPrompt(prompt)
  const query = new URLSearchParams({
    pack: `${version.slug}@${version.version}`,
    scheme: options.scheme ?? 'as-built',
  })
  if (options.tokenizer !== undefined) query.set('tokenizer', options.tokenizer)
  if (isFull) query.set('full', '1')
  return html`<section class="text lit use" aria-labelledby="~use">
    <h2 id="~use" class="label">${isFull ? 'Prompt' : 'Prompt of the preview'}</h2>
    ${access.scope === 'preview' && renderPreviewNote(opened, access, site)}
    <div class="paid">
      <p>
        <b class="paid-tokens">${formatCount(tokens, 'token')}</b>
        ${tokens !== source && html`<span>source ${formatCount(source, 'token')}</span>`}
        <span class="${tokens < source ? 'saving' : 'quiet'}">${describePromptSaving(tokens, source)}</span>
      </p>
      ${tokens < source && (isOwnCount && options.scheme === undefined ? html`${renderCostBar(version)} ${barKey}` : renderShareBar(tokens, source))}
    </div>
    ${renderChoices(opened, options, isFull)}
    ${renderPrompt({
      lit,
      tokens,
      path: `/prompt.md?${query.toString()}`,
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
  const { prompt } = measureCost(version)
  return html`<p class="note">
    This prompt has only the preview. Pro accounts get the whole pack, ${formatCount(prompt, 'token')}.
    ${renderProHint(contact)}
    ${viewer.account === undefined && html`<a href="${formatSignInPath(`${path}/use`)}">Sign in</a> if you have one.`}
  </p>`
}

const MEANINGS: Readonly<Record<Scheme, string>> = {
  none: 'the text as it is',
  'glossary-1': 'acronyms for phrases of prose, readable by people',
  'dense-1': 'single letters for phrases of a line',
  'max-1': 'single letters for anything that repeats',
}

/** Renders the schemes and tokenizers as links, the one in use marked. */
function renderChoices(
  { path, version }: OpenedPack,
  { scheme, tokenizer }: UseOptions,
  isFull: boolean,
): Html {
  const link = (name: string, change: Partial<UseOptions>, isCurrent: boolean): Html => {
    const wanted = { scheme, tokenizer, ...change }
    const query = new URLSearchParams()
    if (wanted.scheme !== undefined) query.set('scheme', wanted.scheme)
    if (wanted.tokenizer !== undefined) query.set('tokenizer', wanted.tokenizer)
    const target = `${path}/use${query.size > 0 ? `?${query.toString()}` : ''}`
    return html`<li>
      <a href="${target}" rel="nofollow" ${isCurrent && html`aria-current="true"`}>${name}</a>
    </li>`
  }
  // The scheme of the pack is not offered twice.
  const others = SCHEMES.filter((name) => name !== version.compression || name === scheme)
  const shown = scheme ?? version.compression
  const builtName = isFull ? `as built, ${version.compression}` : version.compression
  const counters = tokenizerNames.toSorted(
    (a, b) => Number(b === version.tokenizer) - Number(a === version.tokenizer),
  )
  return html`<div class="choices">
    <p id="~scheme">Scheme</p>
    <ul aria-labelledby="~scheme">
      ${link(builtName, { scheme: undefined }, scheme === undefined)}
      ${others.map((name) => link(name, { scheme: name }, scheme === name))}
    </ul>
    <p class="choice-note">${shown}: ${MEANINGS[shown]}. <a href="/docs#packs">What are schemes?</a></p>
    <p id="~tokenizer">Tokenizer</p>
    <ul aria-labelledby="~tokenizer">
      ${counters.map((name) => {
        const own = name === version.tokenizer
        return link(
          name,
          { tokenizer: own ? undefined : name },
          own ? tokenizer === undefined : tokenizer === name,
        )
      })}
    </ul>
  </div>`
}

/** Lists how programs get the pack. Keys come from the environment. */
export function listRecipes(slug: string, baseUrl: string): readonly Recipe[] {
  const client = `createClient({ url: '${baseUrl}', key: process.env.PACK_KEY })`
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
      line: `const { text } = await ${client}.prompt(['${slug}'])`,
    },
    {
      name: 'MCP',
      about: 'for hosts such as Claude Code, Cursor and VS Code',
      line: JSON.stringify({ mcpServers: { packs: server } }),
    },
    {
      name: 'AI SDK',
      about: 'the model finds and reads packs by itself',
      line: `await generateText({ model, tools: packTools(${client}), stopWhen: isStepCount(5), prompt })`,
    },
  ]
}
