import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createFairQueue } from '@packs/catalog'
import { LRUCache } from 'lru-cache'
import { MAX_CONTENTS, type DocumentBeginning, type Heading } from '../documents/read-document.ts'
import { escapeBidi } from '../html/display-text.ts'
import { html } from '../html/html.ts'
import type { RenderedMarkdown } from './render-markdown.ts'
import type { RenderRequest, RenderResponse } from './rendering.ts'

export interface TextToRender {
  /** Identifies the text in the cache. */
  readonly key: string
  readonly title: string
  /** Network of the visitor: networks take turns. */
  readonly owner: string
  /** Loads the text, unless its rendering is cached. */
  readonly load: () => Promise<DocumentBeginning>
}

/** An entry of a contents list. */
export interface ContentsEntry extends Omit<Heading, 'line'> {
  /** Whether the markup has an anchor with its id. */
  readonly isLinked: boolean
}

/** The beginning of a text as safe HTML, with the beginning of its header. */
export interface Rendering extends Omit<DocumentBeginning, 'text' | 'headings' | 'headingCount'> {
  readonly markup: string
  readonly contents: Contents
}

/** The headings of a whole text, without one that repeats the title. */
export interface Contents {
  /** The first of them. */
  readonly entries: readonly ContentsEntry[]
  /** How many there are. */
  readonly total: number
}

export interface Renderer {
  /** Renders the beginning of a text: as plain text if rendering its markdown fails or takes too long. Fails if loading fails. */
  render(text: TextToRender): Promise<Rendering>
  close(): Promise<void>
}

export interface RendererOptions {
  /** Milliseconds that one text may take. @default 2,000 */
  readonly timeout?: number
}

const MAX_MARKUP = 1_000_000
const MAX_CACHED = 16_000_000
/** Texts that wait or are rendered, of all networks and of one. */
const MAX_PENDING = 32
const MAX_OWN_PENDING = 8
/** Time that the thread may take to start. */
const START_TIMEOUT_MS = 10_000

/**
 * Renders in a separate thread, one text at a time, for networks in turn. Markdown that was made to be slow is stopped, and does not block the
 * server.
 */
export function createRenderer({ timeout = 2000 }: RendererOptions = {}): Renderer {
  const cache = new LRUCache<string, Rendering>({ maxSize: MAX_CACHED, sizeCalculation: measure })
  const pending = new Map<string, Promise<Rendering>>()
  let thread: Promise<Worker> | undefined
  const queue = createFairQueue({ places: MAX_PENDING, ownPlaces: MAX_OWN_PENDING })
  let count = 0

  async function renderNew({ key, title, owner, load }: TextToRender): Promise<Rendering> {
    const { text, headings, headingCount, ...beginning } = await load()
    const finish = (rendered?: RenderedMarkdown): Rendering => {
      const markup = rendered?.markup ?? renderPlain(text)
      return { ...beginning, markup, contents: listContents(headings, headingCount, rendered) }
    }
    if (!queue.hasPlace(owner)) return finish()
    const request = { id: ++count, title, text, headings, maxMarkup: MAX_MARKUP }
    const rendering = finish(await queue.run(owner, () => renderInThread(request)))
    cache.set(key, rendering)
    return rendering
  }

  async function renderInThread(request: RenderRequest): Promise<RenderedMarkdown | undefined> {
    const current = (thread ??= startThread(() => (thread = undefined)))
    try {
      return await requestRendering(await current, request, timeout)
    } catch {
      // A thread that ran out of memory has ended already, and is no longer in `thread`.
      thread = undefined
      await current.then((worker) => worker.terminate()).catch(() => {})
      return undefined
    }
  }

  return {
    render(text) {
      const cached = cache.get(text.key)
      if (cached !== undefined) return Promise.resolve(cached)
      const running = pending.get(text.key) ?? renderNew(text).finally(() => pending.delete(text.key))
      pending.set(text.key, running)
      return running
    },
    async close() {
      await Promise.allSettled(pending.values())
      await thread?.then((worker) => worker.terminate()).catch(() => {})
      thread = undefined
    },
  }
}

function renderPlain(text: string): string {
  return html`<pre class="plain" tabindex="0">${escapeBidi(text)}</pre>`.toString()
}

function listContents(headings: readonly Heading[], count: number, rendered?: RenderedMarkdown): Contents {
  const listed = headings.filter(({ id }) => id !== rendered?.titleId)
  return {
    entries: listed
      .slice(0, MAX_CONTENTS)
      .map(({ id, title, level }) => ({ id, title, level, isLinked: rendered?.ids.has(id) === true })),
    total: count - (headings.length - listed.length),
  }
}

/** @param onExit called when the thread has ended for any reason */
async function startThread(onExit: () => void): Promise<Worker> {
  const extension = extname(import.meta.url)
  const worker = new Worker(new URL(`./render-worker${extension}`, import.meta.url), {
    execArgv: extension === '.ts' ? ['--conditions=source'] : [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  worker.on('error', () => {}).once('exit', onExit)
  try {
    await waitForResponse(worker, START_TIMEOUT_MS)
  } catch (error) {
    await worker.terminate()
    throw error
  }
  worker.unref()
  return worker
}

async function requestRendering(
  worker: Worker,
  request: RenderRequest,
  timeout: number,
): Promise<RenderedMarkdown | undefined> {
  const response = waitForResponse(worker, timeout)
  worker.ref()
  worker.postMessage(request)
  try {
    const { id, rendered } = await response
    if (id !== request.id) throw new Error('The response belongs to another request')
    return rendered
  } finally {
    worker.unref()
  }
}

/** Waits for the next message of the thread. @throws Error if the thread ends or takes too long */
function waitForResponse(worker: Worker, timeout: number): Promise<RenderResponse> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => end(() => reject(new Error('The rendering thread took too long'))),
      timeout,
    )
    const onMessage = (answer: RenderResponse): void => end(() => resolve(answer))
    const onExit = (): void => end(() => reject(new Error('The rendering thread ended')))
    worker.once('message', onMessage).once('error', onExit).once('exit', onExit)

    function end(finish: () => void): void {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onExit).off('exit', onExit)
      finish()
    }
  })
}

/** UTF-16 units of markup, header and headings; at least one. */
function measure({ markup, header, contents }: Rendering): number {
  const headings = contents.entries.reduce((sum, { id, title }) => sum + id.length + title.length, 0)
  return markup.length + header.length + headings + 1
}
