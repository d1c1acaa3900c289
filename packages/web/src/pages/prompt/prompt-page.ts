import { clientNetwork } from '@packs/catalog'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { WebError } from '../../web-error.ts'
import { decideAccess } from '../pack/decide-access.ts'
import type { Viewer } from '../page.ts'
import { addPage, createTag, isKnownTag, MARKDOWN_TYPE, readQuery } from '../serve-page.ts'
import { findParts, type Parts, selectVisible } from './find-parts.ts'
import { MAX_PARTS, parsePromptQuery, type PromptQuery } from './parse-prompt-query.ts'
import {
  answerQuestion,
  type ContextCache,
  createContextCache,
  describeFailure,
  type PromptDependencies,
  type PromptView,
  tooOften,
} from './prompt-view.ts'
import { renderBuilder } from './render-builder.ts'
import type { PartSearch } from './render-found.ts'

const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
/** Packs that searches find. */
const MAX_HITS = 12
const SHOWN_PACKS = 5

/** Adds `/prompt`, which composes the prompt of several packs and sections. */
export function addPromptRoutes(app: FastifyInstance, dependencies: PromptDependencies): void {
  const contexts = createContextCache()
  addPage(app, '/prompt', async (request, reply) => {
    const view = await openPrompt(dependencies, contexts, request, reply)
    const { viewer, query, failure } = view
    const search = await searchParts(dependencies, query, clientOf(viewer, request), view.now)
    if (failure !== undefined) reply.code(failure.status)
    return dependencies.pages.send(reply, {
      title: 'Compose a prompt',
      description: 'Put packs and sections together into one prompt, and see what each of them costs.',
      viewer,
      main: renderBuilder(view, search, dependencies.site),
      section: 'prompt',
      canonical: '/prompt',
      script: 'prompt',
      layout: 'wide',
    })
  })
  addPage(app, '/prompt.md', async (request, reply) => {
    const view = await openPrompt(dependencies, contexts, request, reply, true)
    const { prompt, context, failure, access, query } = view
    const fields = readQuery(request.url)
    if (fields['full'] === '1' && access.scope !== 'full') throw fullTextError(request)
    const text = context?.text ?? prompt?.text
    const tokens = context?.tokens ?? prompt?.tokens ?? 0
    if (failure !== undefined) {
      const { status, message, hint } = failure
      const code =
        status === 429 ? 'too_many_pages' : status === 503 ? 'service_unavailable' : 'invalid_query'
      throw new WebError(code, message, hint)
    }
    if (text === undefined && view.parts.found.length > 0 && query.q === undefined)
      throw fullTextError(request)
    if (text === undefined) throw invalidPromptError('This prompt is empty', request)
    if (prompt !== undefined && tokens > (query.budget ?? Infinity))
      throw overBudgetError(tokens, query.budget!)
    reply.headers({ etag: createTag(text), 'cache-control': 'private, no-cache' })
    if (isKnownTag(request, createTag(text))) return reply.code(304).send()
    if (fields['download'] === '1') reply.header('content-disposition', 'attachment; filename="prompt.md"')
    return reply.type(MARKDOWN_TYPE).send(text)
  })
}

function clientOf({ account }: Viewer, request: FastifyRequest): string {
  return account?.id ?? clientNetwork(request.ip)
}

async function openPrompt(
  dependencies: PromptDependencies,
  contexts: ContextCache,
  request: FastifyRequest,
  reply: FastifyReply,
  isFile = false,
): Promise<PromptView> {
  const { ports, pages, composer, versionQuota } = dependencies
  const query = parsePromptQuery(request.url)
  const viewer = await pages.findViewer(request, reply)
  const now = ports.now()
  const owner = clientOf(viewer, request)
  const parts = await findParts(dependencies, query, owner)
  const problem = isFile ? findProblem(query, parts) : undefined
  if (problem !== undefined) throw invalidPromptError(problem, request)
  const opened = { query, parts, viewer, now, prompt: undefined, context: undefined, failure: undefined }
  if (query.q !== undefined)
    return { ...opened, ...(await answerQuestion(dependencies, contexts, opened, owner)) }
  const { found } = parts
  const isTooMany = query.packs.length + query.sections.length > MAX_PARTS
  const sequences = [...new Set(found.map(({ version }) => version.sequence))]
  const access = await decideAccess(viewer, (account) =>
    sequences.length === 0 || isTooMany
      ? ports.quota.peek(account, now).then((state) => ({ ...state, allowed: true }))
      : versionQuota.take(account, now, sequences),
  )
  const visible = selectVisible(parts, access.scope)
  if (isTooMany || visible.length === 0) return { ...opened, access }
  const bytes = new Map(found.map(({ version }) => [version.sequence, version.bytes]))
  if ([...bytes.values()].reduce((sum, size) => sum + size, 0) > MAX_DOCUMENT_BYTES)
    return { ...opened, access, failure: tooLarge('The documents of these packs exceed 64 MiB together') }
  const { scheme, tokenizer } = query
  const task = {
    packs: visible.filter(({ kind }) => kind === 'pack').map(({ version }) => version.sequence),
    sections: visible.flatMap(({ section }) => {
      if (section === undefined) return []
      const { sequence, title, start, end } = section
      return { sequence, title, start, end }
    }),
    scope: access.scope,
    options: {
      scheme: scheme === '' || scheme === 'as-built' ? undefined : scheme,
      asBuilt: scheme === 'as-built',
      tokenizer: tokenizer || undefined,
    },
  } as const
  try {
    const isCharged = access.reason === 'pro'
    const result = await composer.compose(task, { owner, response: reply.raw, now, isCharged })
    return 'fault' in result
      ? { ...opened, access, failure: tooLarge(result.fault) }
      : { ...opened, access, prompt: result.prompt }
  } catch (error) {
    return { ...opened, access, failure: describeFailure(error) }
  }
}

/** Searches packs and sections to add, in what everybody may see, which costs nothing. */
async function searchParts(
  { ports, search, freeSearches }: PromptDependencies,
  { find, packs, sections }: PromptQuery,
  owner: string,
  now: Date,
): Promise<PartSearch> {
  const none = { hits: [], newest: [], corrected: null, problem: undefined }
  if (find === '') {
    if (packs.length + sections.length > 0) return none
    const { packs: newest } = await ports.catalog.packs.list({
      order: 'newest',
      limit: SHOWN_PACKS,
      offset: 0,
    })
    return { ...none, newest }
  }
  const wait = freeSearches.take(owner, now)
  if (wait > 0) return { ...none, problem: tooOften(wait).message }
  try {
    const { hits, corrected } = await search.search(
      { text: find, limit: MAX_HITS, offset: 0 },
      'preview',
      owner,
    )
    return { ...none, hits, corrected }
  } catch (error) {
    if (error instanceof RangeError)
      return { ...none, problem: 'This search cannot be read; try fewer words.' }
    return { ...none, problem: describeFailure(error).message }
  }
}

function tooLarge(message: string): NonNullable<PromptView['failure']> {
  return { message, hint: 'Remove some of them.', status: 200 }
}

function fullTextError({ url }: FastifyRequest): WebError {
  const hint = 'Open the page again to see what you can copy.'
  return new WebError('tier_required', 'Whole packs need a Pro account', hint, {
    links: [
      {
        path: url.replace('/prompt.md', '/prompt').replace(/&(?:full|download)=1/g, ''),
        name: 'Compose the prompt',
      },
    ],
  })
}

/** Finds what a prompt lacks that its URL names. A page shows that, which a file cannot. */
function findProblem({ packs, sections, problems }: PromptQuery, { unknown }: Parts): string | undefined {
  if (packs.length + sections.length > MAX_PARTS)
    return `A prompt has at most ${MAX_PARTS} packs and sections together`
  return [...problems, ...unknown.map(({ problem }) => problem)][0]?.replace(/\.$/, '')
}

function invalidPromptError(message: string, { url }: FastifyRequest): WebError {
  const links = [{ path: url.replace('/prompt.md', '/prompt'), name: 'Open the prompt' }]
  return new WebError('invalid_query', message, 'Its page shows what to change.', { links })
}

function overBudgetError(tokens: number, budget: number): WebError {
  const message = `The prompt takes ${tokens.toLocaleString('en-US')} tokens; the budget is ${budget.toLocaleString('en-US')}`
  return new WebError('invalid_query', message, 'Raise the budget, or name fewer packs.')
}
