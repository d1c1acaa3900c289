import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFairQueue } from '@packs/catalog'
import { LRUCache } from 'lru-cache'
import { MAX_CONTENTS, type DocumentBeginning, type Heading } from '../documents/read-document.ts'
import { escapeBidi } from '../html/display-text.ts'
import { html } from '@packs/codec/theme'
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
/** Time that the process may take to start. */
const START_TIMEOUT_MS = 60_000
/** Megabytes of its heap. */
const MAX_HEAP_MB = 256

/**
 * Renders in a separate process, one text at a time, for networks in turn. Markdown that was made to be slow or large is stopped, and
 * does not block the server. A thread would not do: where one runs out of memory, Node may end the process.
 */
export function createRenderer({ timeout = 2000 }: RendererOptions = {}): Renderer {
  const cache = new LRUCache<string, Rendering>({ maxSize: MAX_CACHED, sizeCalculation: measure })
  const pending = new Map<string, Promise<Rendering>>()
  let child: Promise<ChildProcess> | undefined
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
    const rendering = finish(await queue.run(owner, () => renderInProcess(request)))
    cache.set(key, rendering)
    return rendering
  }

  async function renderInProcess(request: RenderRequest): Promise<RenderedMarkdown | undefined> {
    const current = (child ??= startProcess(() => (child = undefined)))
    try {
      return await requestRendering(await current, request, timeout)
    } catch {
      // A process that ran out of memory has ended already, and is no longer in `child`.
      child = undefined
      await current.then(end).catch(() => {})
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
      await child?.then(end).catch(() => {})
      child = undefined
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

/** @param onExit called when the process has ended for any reason */
async function startProcess(onExit: () => void): Promise<ChildProcess> {
  const extension = extname(import.meta.url)
  const child = fork(fileURLToPath(new URL(`./render-worker${extension}`, import.meta.url)), {
    env: {},
    execArgv: [
      `--max-old-space-size=${MAX_HEAP_MB}`,
      ...(extension === '.ts' ? ['--conditions=source'] : []),
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.on('error', () => {}).once('exit', onExit)
  try {
    await waitForResponse(child, START_TIMEOUT_MS)
  } catch (error) {
    await end(child)
    throw error
  }
  return child
}

/** Ends a process that may be busy. One that could not be started has no number. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  child.ref()
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

async function requestRendering(
  child: ChildProcess,
  request: RenderRequest,
  timeout: number,
): Promise<RenderedMarkdown | undefined> {
  const response = waitForResponse(child, timeout)
  child.send(request)
  const { id, rendered } = await response
  if (id !== request.id) throw new Error('The response belongs to another request')
  return rendered
}

/** Waits for the next message of the process, which keeps this one running only meanwhile. @throws Error if it ends or takes too long */
function waitForResponse(child: ChildProcess, timeout: number): Promise<RenderResponse> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => finish(() => reject(new Error('The rendering process took too long'))),
      timeout,
    )
    const onMessage = (answer: unknown): void => finish(() => resolve(answer as RenderResponse))
    const onExit = (): void => finish(() => reject(new Error('The rendering process ended')))
    child.once('message', onMessage).once('error', onExit).once('exit', onExit).ref()
    child.channel?.ref()

    function finish(settle: () => void): void {
      clearTimeout(timer)
      child.off('message', onMessage).off('error', onExit).off('exit', onExit).unref()
      child.channel?.unref()
      settle()
    }
  })
}

/** UTF-16 units of markup, header and headings; at least one. */
function measure({ markup, header, contents }: Rendering): number {
  const headings = contents.entries.reduce((sum, { id, title }) => sum + id.length + title.length, 0)
  return markup.length + header.length + headings + 1
}
