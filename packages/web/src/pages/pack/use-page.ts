import type { Scheme } from '@packs/codec'
import { findScheme, type LinkForm, SCHEME_NAMES } from '@packs/codec/internal'
import { html, type Html, renderLitPrompt } from '@packs/theme'
import type { VersionRecord } from '@packs/catalog'
import type { FastifyReply } from 'fastify'
import { formatCount } from '../../html/display-text.ts'
import {
  DEFAULT_LINKS,
  type Recipe,
  renderChoices,
  renderLinkForms,
  renderPrompt,
  renderRecipes,
} from '../../html/lit-prompt.ts'
import { barKey, describeSaving, measureCost, renderCostBar, schemeWords } from '../../html/pack-figures.ts'
import type { PagePrompt, PromptOptions } from '../../documents/read-document.ts'
import type { SiteFacts } from '../page.ts'
import { readLinkForm, readQuery, sendMarkdown } from '../serve-page.ts'
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

export async function sendUse(dependencies: PackDependencies, opened: OpenedPack): Promise<FastifyReply> {
  const { reply, viewer, version } = opened
  const { prompt } = await readPrompt(dependencies, opened)
  return sendMarkdown(reply, viewer, prompt.text, `${version.slug}.prompt.md`)
}

async function readPrompt(
  dependencies: PackDependencies,
  opened: OpenedPack,
): Promise<{ readonly access: Access; readonly options: PromptOptions; readonly prompt: PagePrompt }> {
  const access = await openAccess(dependencies, opened, [opened.version])
  const { url } = opened.reply.request
  const { scheme } = readQuery(url)
  // An unknown scheme means that of the pack.
  const options = { scheme: SCHEME_NAMES.find((name) => name === scheme), links: readLinkForm(url) }
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
  const task = { version, part: 'prompt', scope: access.scope, options, owner, admit } as const
  const { prompt } = await dependencies.documents.read(task)
  return prompt!
}

function renderUse(
  opened: OpenedPack,
  access: Access,
  options: PromptOptions,
  prompt: PagePrompt,
  site: SiteFacts,
): Html {
  const { version, path } = opened
  const { tokens } = prompt
  const isFull = access.scope === 'full'
  const format = (changed: Partial<PromptOptions>): string =>
    formatOptions(`${path}/use`, { ...options, ...changed })
  return html`<section class="text lit use" aria-labelledby="~use">
    <h2 id="~use" class="label">${isFull ? 'Prompt' : 'Prompt from the preview'}</h2>
    ${access.scope === 'preview' && renderPreviewNote(access, 'This prompt has only the preview', `${path}/use`, opened.now, site.contact)}
    <div class="paid">
      <p>
        <b class="paid-tokens">${formatCount(tokens, 'token')}</b>
        ${renderPaid(version, isFull, prompt, options)}
      </p>
    </div>
    ${isFull && renderSchemes(version.compression, options.scheme, format)}
    ${prompt.hasLinks && renderLinkForms(options.links, (links) => format({ links }))}
    ${prompt.isTooLarge && html`<p class="note">This text is too large to compress here, so it is the source.</p>`}
    ${renderPrompt({
      lit: renderLitPrompt(prompt),
      tokens,
      path: formatOptions(`/browse/${version.slug}/${version.version}/use.md`, options),
      sample: `${version.title} ${version.lead ?? ''}`,
      more: renderAdd(opened),
    })}
    ${renderRecipes(listRecipes(version.slug, site.baseUrl, options.links), isFull)}
  </section>`
}

/** Says what the prompt has, and what it saves of its source. */
function renderPaid(
  version: VersionRecord,
  isFull: boolean,
  prompt: PagePrompt,
  { scheme, links }: PromptOptions,
): Html {
  const source = isFull ? version.uncompressed_estimate : prompt.sources
  const header = isFull && scheme === undefined ? version.rosetta_tokens : 0
  const token_count = prompt.tokens - header
  const counts = { uncompressed_estimate: source, token_count, rosetta_tokens: header }
  const { saved } = measureCost(counts)
  return html`<span class="quiet"
      >with an instruction and
      tags${prompt.hasLinks && links === 'drop' && ', without addresses of links'}</span
    >
    ${
      saved > 0 &&
      html`<span
          >source ${formatCount(source, 'token')}, <span class="saving">${describeSaving(counts)}</span></span
        >
        ${renderCostBar(counts)} ${header > 0 && barKey}`
    }`
}

function formatOptions(path: string, { scheme, links }: PromptOptions): string {
  const query = new URLSearchParams({ ...(scheme && { scheme }), ...(links !== DEFAULT_LINKS && { links }) })
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

/** Renders the schemes as links, the one in use marked. */
function renderSchemes(
  compression: VersionRecord['compression'],
  scheme: Scheme | undefined,
  format: (changed: Pick<PromptOptions, 'scheme'>) => string,
): Html {
  const built = findScheme(compression)!
  const used = scheme ?? built
  const choices = SCHEME_NAMES.map((name) => ({
    name: schemeWords[name][0],
    path: format({ scheme: name === built ? undefined : name }),
    isCurrent: name === used,
  }))
  const [name, meaning] = schemeWords[used]
  const note = html`${name} (<code>${used}</code>${used === built && ', as published'}): ${meaning}.
    <a href="/docs#packs">What are schemes?</a>`
  return renderChoices('Scheme', choices, note)
}

/** Lists how programs get the pack; each works with the key of a Free account, too. */
export function listRecipes(slug: string, baseUrl: string, links: LinkForm): readonly Recipe[] {
  const docs = `const docs = await openDocs({ url: '${baseUrl}', key: process.env.PACK_KEY })`
  const client = `import { openDocs } from '@packs/client'\n`
  const url = `${baseUrl}/mcp`
  const server = (key: string): object => ({ url, headers: { Authorization: `Bearer ${key}` } })
  const settings = JSON.stringify({ name: 'packs', type: 'http', ...server('KEY') })
  const code = settings.replace('KEY', `'"$PACK_KEY"'`)
  return [
    {
      name: 'curl',
      about: 'programs get Lean; links are as above',
      line: `curl -H "x-api-key: $PACK_KEY" -H "accept: text/markdown" \\\n"${baseUrl}/api/v1/context?pack=${slug}&links=${links}"`,
    },
    {
      name: 'TypeScript',
      about:
        'the text in Lean, with numbers for addresses; it runs in a clone of Packs, which has @packs/client',
      line: `${client}${docs}\nconst { text } = await docs.read('${slug}')`,
    },
    {
      name: 'Claude Code',
      about: 'the model searches all packs of this catalog and reads them, over MCP',
      line: `claude mcp add --transport http packs ${url} \\\n  --header "Authorization: Bearer $PACK_KEY"`,
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
