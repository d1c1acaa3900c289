import { clientNetwork, findPurged, listSimilarPacks } from '@packs/catalog'
import type { Catalog, PackSummary, VersionRecord, WholePacks } from '@packs/catalog'
import { html, type Html, renderLitPrompt } from '@packs/theme'
import { chooseVersion, type LinkForm, parsePackName, parseRange, VersionError } from '@packs/codec/internal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { escapeBidi, formatCount, formatNumber, renderLangAttribute } from '../html/display-text.ts'
import {
  DEFAULT_LINKS,
  type Recipe,
  renderLinkForms,
  renderPrompt,
  renderRecipes,
} from '../html/lit-prompt.ts'
import { describeSaving, measureCost } from '../html/pack-figures.ts'
import { WebError } from '../web-error.ts'
import { limitPrompts, openAccess, renderPreviewNote } from './pack/open-pack.ts'
import type { Access, PackDependencies } from './pack/open-pack.ts'
import type { SiteFacts, Viewer } from './page.ts'
import { addPage, readLinkForm, readQuery, sendMarkdown } from './serve-page.ts'

/** Packs of a prompt, names read of a longer URL, characters of one, and packs that are offered. */
const MAX_PACKS = 50
const MAX_NAMES = 60
const MAX_NAME = 400
const MAX_OFFERS = 3
/** Tokens of the text, and bytes of the documents that are read for it, as in the API. */
const BUDGET = 200_000
const MAX_BYTES = 16 * 1024 * 1024

interface ChosenPack {
  /** As the URL has it: `tls` or `tls@1.2.0`. */
  readonly name: string
  readonly version: VersionRecord
}

/** A name that means no version. */
interface UnknownPack {
  readonly name: string
  /** What is wrong, as a sentence. */
  readonly problem: string
  /** Names that are most like it. */
  readonly similar: readonly string[]
}

interface PromptView {
  readonly packs: readonly (ChosenPack | UnknownPack)[]
  readonly viewer: Viewer
  readonly access: Access
  readonly now: Date
  /** Undefined if there is nothing to read, or too much. */
  readonly whole: WholePacks | undefined
  readonly links: LinkForm
  /** Packs to begin with, if none is chosen. */
  readonly offers: readonly PackSummary[]
  /** Why the packs are not read, as a sentence. */
  readonly problem: string | undefined
}

/** Adds `/prompt`, which shows several packs as one text, and `/prompt.md`, the text alone. */
export function addPromptRoutes(app: FastifyInstance, dependencies: PackDependencies): void {
  addPage(app, '/prompt', async (_request, reply) => {
    const view = await openPrompt(dependencies, reply)
    return dependencies.pages.send(reply, {
      title: 'Prompt',
      description: 'Put several packs into one text for a prompt, and see what each of them costs.',
      viewer: view.viewer,
      main: renderView(view, dependencies.site),
      section: 'prompt',
      canonical: '/prompt',
      connects: true,
      canCopy: view.whole?.needed === null,
      layout: 'wide',
    })
  })
  addPage(app, '/prompt.md', async (request, reply) => {
    const { whole, access, viewer } = await openPrompt(dependencies, reply, true)
    if (readQuery(request.url)['full'] === '1' && access.scope !== 'full') {
      const links = [{ path: formatPath(readNames(request.url)), name: 'See the previews' }]
      const hint = 'The page has what you can copy.'
      throw new WebError('tier_required', 'Whole packs need a Pro account', hint, { links })
    }
    const { text, needed } = whole!
    if (needed !== null) throw invalidPromptError(describeExcess(needed), request)
    return sendMarkdown(reply, viewer, text, 'prompt.md')
  })
}

/**
 * Nothing is charged if the packs cannot be read.
 * @throws WebError for a file, if anything is wrong with the names; `too_many_pages`
 */
async function openPrompt(
  dependencies: PackDependencies,
  reply: FastifyReply,
  isFile = false,
): Promise<PromptView> {
  const { request } = reply
  const { ports, pages, sections } = dependencies
  const names = readNames(request.url)
  const viewer = await pages.findViewer(reply)
  const now = ports.now()
  const packs: (ChosenPack | UnknownPack)[] = []
  for (const name of names) packs.push(await findPack(ports.catalog.packs, name))
  const versions = packs.flatMap((pack) => ('version' in pack ? pack.version : []))
  const problem = findProblem(names, versions)
  const unknown = packs.find((pack) => 'problem' in pack)
  const refusal = problem ?? unknown?.problem ?? (names.length === 0 ? 'This prompt is empty' : undefined)
  if (isFile && refusal !== undefined) throw invalidPromptError(refusal, request)
  const isRead = problem === undefined && versions.length > 0
  const access = await openAccess(dependencies, { viewer, reply, now }, isRead ? versions : [])
  const links = readLinkForm(request.url)
  const offered = names.length === 0 && { order: 'saved' as const, limit: MAX_OFFERS, offset: 0 }
  const offers = offered ? (await ports.catalog.packs.list(offered)).packs : []
  const view = { packs, viewer, access, now, problem, links, offers, whole: undefined }
  if (!isRead) return view
  const owner = viewer.account?.id ?? clientNetwork(request.ip)
  limitPrompts(dependencies, access, owner, now)
  const tokenizers = new Set(versions.map(({ tokenizer }) => tokenizer))
  const tokenizer = tokenizers.size === 1 ? versions[0]!.tokenizer : 'o200k_base'
  const options = { budget: BUDGET, tokenizer, scope: access.scope, links }
  return { ...view, whole: await sections.for(owner).whole(versions, options) }
}

function readNames(url: string): readonly string[] {
  const given = [readQuery(url)['pack'] ?? []].flat()
  const names = new Set(given.map((name) => name.trim().slice(0, MAX_NAME)))
  names.delete('')
  return [...names].slice(0, MAX_NAMES)
}

function findProblem(names: readonly string[], versions: readonly VersionRecord[]): string | undefined {
  if (names.length > MAX_PACKS)
    return `A prompt has at most ${MAX_PACKS} packs. Remove ${names.length - MAX_PACKS}.`
  const bytes = versions.reduce((sum, version) => sum + version.bytes, 0)
  return bytes > MAX_BYTES ? 'These packs are over 16 MiB together. Remove some of them.' : undefined
}

/** Finds the newest version that a name means, or tells what is wrong with the name. */
async function findPack(packs: Catalog['packs'], name: string): Promise<ChosenPack | UnknownPack> {
  try {
    const { pack, range } = parsePackName(name)
    const number =
      range && (parseRange(range).exact ?? chooseVersion(await packs.versions(pack), range)?.version)
    const version = range === undefined || number !== undefined ? await packs.find(pack, number) : undefined
    if (version !== undefined) return { name, version }
    if (findPurged(await packs.versions(pack)) !== undefined)
      return { name, problem: `The pack ${pack} was purged.`, similar: [] }
    const isKnown = range !== undefined && (await packs.find(pack)) !== undefined
    return isKnown
      ? { name, problem: `The pack ${pack} has no version ${range}.`, similar: [pack] }
      : { name, problem: `There is no pack “${pack}”.`, similar: await listSimilarPacks(packs, pack) }
  } catch (error) {
    if (!(error instanceof VersionError)) throw error
    const problem = `“${name.slice(0, 80)}” is not the name of a pack, such as tls-certificates.`
    return { name, problem, similar: [] }
  }
}

function invalidPromptError(message: string, request: FastifyRequest): WebError {
  const links = [{ path: formatPath(readNames(request.url)), name: 'Open the page' }]
  const hint = 'Its page shows what to change.'
  return new WebError('invalid_query', message.replace(/\.$/, ''), hint, { links })
}

function describeExcess(needed: number): string {
  return `These packs take ${formatCount(needed, 'token')} together; a prompt has at most ${formatNumber(BUDGET)}`
}

/** Returns the path of the page with these packs, whose links keep their form. */
type FormatNames = (names: readonly string[]) => string

function formatPath(names: readonly string[], links: LinkForm = DEFAULT_LINKS, path = '/prompt'): string {
  const fields = names.map((name) => ['pack', name])
  // A slash and an at sign need no escape in a query.
  const query = new URLSearchParams(links === DEFAULT_LINKS ? fields : [...fields, ['links', links]])
    .toString()
    .replaceAll('%2F', '/')
    .replaceAll('%40', '@')
  return query === '' ? path : `${path}?${query}`
}

/** Renders the packs and their text. Every action is a link or a form, without a script. */
function renderView(view: PromptView, site: SiteFacts): Html {
  const names = view.packs.map(({ name }) => name)
  return html`<div class="lead">
      <h1>Prompt</h1>
      <p class="quiet">Several packs joined into one lean text, to paste into any model.</p>
    </div>
    <div class="compose lit">
      <section class="builder" aria-labelledby="~chosen" data-total="${view.whole?.tokens ?? ''}">
        <p class="found-head">
          <b id="~chosen">${names.length === 0 ? 'No packs yet' : formatCount(names.length, 'pack')}</b>
          ${names.length > 1 && html`<a class="clear" href="/prompt">Remove all</a>`}
        </p>
        ${names.length > 0 && renderPacks(view, names)}
        <form class="field" action="/prompt" method="get">
          ${names.map((name) => html`<input type="hidden" name="pack" value="${name}" />`)}
          ${view.links !== DEFAULT_LINKS && html`<input type="hidden" name="links" value="${view.links}" />`}
          <label for="~add">Add a pack by its name</label>
          <div class="with-button">
            <input
              id="~add"
              name="pack"
              maxlength="${MAX_NAME}"
              placeholder="tls-certificates"
              autocomplete="off"
              required
            />
            <button>Add</button>
          </div>
        </form>
      </section>
      <section class="result" aria-labelledby="~result-title">
        <h2 id="~result-title" class="unseen">Text</h2>
        ${renderText(view, site)}
      </section>
    </div>`
}

function renderPacks({ packs, whole, links }: PromptView, names: readonly string[]): Html {
  const format: FormatNames = (chosen) => formatPath(chosen, links)
  const tokens = packs
    .filter((pack) => 'version' in pack)
    .map(({ version }, at) => whole?.packs[at]?.tokens ?? version.uncompressed_estimate)
  const rest = (whole?.tokens ?? 0) - tokens.reduce((sum, count) => sum + count, 0)
  let at = 0
  return html`<ol class="parts">
      ${packs.map((pack, place) => {
        if (!('version' in pack)) return html`<li class="unknown">${renderUnknown(pack, names, format)}</li>`
        const own = tokens[at++]!
        return html`<li data-pack="${pack.name}" data-tokens="${own}">
          ${renderPack(pack, place, names, own, format)}
        </li>`
      })}
    </ol>
    ${whole?.needed === null && html`<p class="part-sum quiet">Instruction <span>${formatNumber(rest)}</span></p>`}`
}

function renderPack(
  { name, version }: ChosenPack,
  at: number,
  names: readonly string[],
  tokens: number,
  format: FormatNames,
): Html {
  const { slug, title, version: number, yanked } = version
  const move = (by: number, way: string, sign: string): Html => {
    const other = at + by < 0 ? undefined : names[at + by]
    if (other === undefined) return html`<span class="tool" aria-hidden="true">${sign}</span>`
    const moved = names.with(at, other).with(at + by, name)
    return renderTool(format(moved), `Move ${escapeBidi(title)} ${way}`, sign)
  }
  return html`<div class="part-name">
      <a href="/browse/${slug}"><bdi ${renderLangAttribute(title)}>${escapeBidi(title)}</bdi></a>
      <span class="quiet">${slug} ${number}${yanked && ', yanked'}</span>
    </div>
    <p class="tools">
      ${names.length > 1 && html`${move(-1, 'up', '↑')}${move(1, 'down', '↓')}`}
      ${renderTool(format(without(names, name)), `Remove ${escapeBidi(title)}`, '×')}
    </p>
    <b class="part-cost">${formatNumber(tokens)}</b>`
}

function without(names: readonly string[], name: string): readonly string[] {
  return names.filter((other) => other !== name)
}

function renderTool(path: string, label: string, sign: string): Html {
  return html`<a class="tool" href="${path}" rel="nofollow" aria-label="${label}"
    ><span aria-hidden="true">${sign}</span></a
  >`
}

function renderUnknown(
  { name, problem, similar }: UnknownPack,
  names: readonly string[],
  format: FormatNames,
): Html {
  const replace = (other: string): string => format(names.map((own) => (own === name ? other : own)))
  return html`<div class="part-name">
      <span class="refusal">${escapeBidi(problem)}</span>
      ${
        similar.length > 0 &&
        html`<span class="quiet"
          >Did you mean
          ${similar.map((other, at) => html`${at > 0 && ', '}<a href="${replace(other)}" rel="nofollow">${escapeBidi(other)}</a>`)}?</span
        >`
      }
    </div>
    <p class="tools">${renderTool(format(without(names, name)), `Remove ${escapeBidi(name)}`, '×')}</p>`
}

function renderText(view: PromptView, site: SiteFacts): Html {
  const { packs, whole, links: form, access, problem, offers } = view
  if (whole === undefined)
    return html`<div class="empty">
      <p>${problem ?? (offers.length > 0 ? 'Begin with one of these' : 'There is nothing to show yet')}</p>
      <ul class="offers">
        ${offers.map(
          (pack) =>
            html`<li>
              <b><bdi ${renderLangAttribute(pack.title)}>${escapeBidi(pack.title)}</bdi></b>
              <a class="button" href="${formatPath([pack.slug])}" rel="nofollow"
                >Add<span class="unseen">: ${escapeBidi(pack.title)}</span></a
              >
              <span class="quiet"
                >${formatCount(measureCost(pack).paid, 'token')}, ${describeSaving(pack)}</span
              >
            </li>`,
        )}
      </ul>
      <p class="quiet">
        Or <a href="/browse">browse</a> and choose “Add to prompt”. The address of this page keeps your
        choice.
      </p>
    </div>`
  const path = formatPath(packs.map(({ name }) => name))
  const limits =
    access.scope === 'preview' &&
    renderPreviewNote(access, 'This prompt has only previews', path, view.now, site.contact)
  if (whole.needed !== null)
    return html`${limits}
      <p class="note note-bad">${describeExcess(whole.needed)}. Remove some of them.</p>`
  const chosen = packs.filter((pack) => 'version' in pack)
  const chosenNames = chosen.map(({ name }) => name)
  const { text, tokens, links } = whole
  const sources = chosen.reduce((sum, { version }) => sum + version.uncompressed_estimate, 0)
  const counts = { uncompressed_estimate: sources, token_count: tokens, rosetta_tokens: 0 }
  const saved = access.scope === 'full' ? measureCost(counts).saved : 0
  return html`${limits}
    <div class="paid">
      <p>
        <b class="paid-tokens">${formatCount(tokens, 'token')}</b>
        ${saved > 0 && html`<span>sources ${formatCount(sources, 'token')}, <span class="saving">${describeSaving(counts)}</span></span>`}
      </p>
    </div>
    ${renderLinkForms(form, (other) => formatPath(chosenNames, other))}
    ${renderPrompt({
      lit: renderLitPrompt({ text, rosetta: '[DECODE]', links }),
      tokens,
      path: formatPath(chosenNames, form, '/prompt.md') + (access.scope === 'full' ? '&full=1' : ''),
      sample: chosen.map(({ version }) => version.title).join(' '),
    })}
    ${renderRecipes(listRecipes(chosen, site, form), access.scope === 'full')}`
}

/** Packs that one request of the API may name. */
const MAX_API_PACKS = 20

function listRecipes(
  chosen: readonly ChosenPack[],
  { baseUrl }: SiteFacts,
  links: LinkForm,
): readonly Recipe[] {
  const names = chosen.map(({ name, version }) =>
    name.includes('@') ? `${version.slug}@${version.version}` : version.slug,
  )
  const slugs = chosen.map(({ version }) => version.slug)
  const local: Recipe = {
    name: 'pack prompt',
    about: 'a denser prompt, verified and pinned in packs.lock',
    line: `pack add ${names.join(' ')} --url ${baseUrl}\npack prompt ${slugs.join(' ')}`,
  }
  if (slugs.length > MAX_API_PACKS || names.some((name) => name.includes('@'))) return [local]
  const url = `${formatPath(slugs, DEFAULT_LINKS, `${baseUrl}/api/v1/context`)}&links=${links}`
  const line = `curl -H "x-api-key: $PACK_KEY" -H "accept: text/markdown" \\\n"${url}"`
  return [{ name: 'curl', about: 'the same text', line }, local]
}
