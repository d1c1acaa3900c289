import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { html } from '../html/html.ts'
import { showHidden } from '../html/display-text.ts'
import { decodeBeginning } from './decode-beginning.ts'
import type { RenderAnswer, Rendering, RenderOrder } from './rendering.ts'

export interface TextToRender {
  /** Equal for equal texts. */
  readonly key: string
  readonly title: string
  readonly content: string
  readonly rosetta: string
}

export interface Renderer {
  /** Renders the beginning of a decoded text; as plain text where it takes too long as markdown. */
  render(text: TextToRender): Promise<Rendering>
  close(): Promise<void>
}

export interface RendererOptions {
  /** Most UTF-16 units of decoded text that a page shows. @default 100,000 */
  readonly limit?: number
  /** Longest that one text may take, milliseconds. @default 2,000 */
  readonly timeout?: number
}

const MOST_MARKUP = 1_000_000
const MOST_KEPT = 16_000_000
const MOST_WAITING = 32
/** The thread takes so long until it can begin, at most. */
const START_MS = 10_000

/**
 * Renders in a thread of its own, one text at a time: reading markdown that was written to be slow stops nobody else,
 * and is broken off.
 */
export function createRenderer({ limit = 100_000, timeout = 2000 }: RendererOptions = {}): Renderer {
  const cache = createRenderingCache(MOST_KEPT)
  const pending = new Map<string, Promise<Rendering>>()
  let thread: Promise<Worker> | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let count = 0

  async function renderNew(text: TextToRender): Promise<Rendering> {
    const { title, content, rosetta } = text
    const order = { number: ++count, title, content, rosetta, limit, mostMarkup: MOST_MARKUP }
    if (pending.size > MOST_WAITING) return renderPlain(order)
    const answer = turn.then(() => ask(order))
    turn = answer
    const rendering = (await answer) ?? renderPlain(order)
    cache.put(text.key, rendering)
    return rendering
  }

  async function ask(order: RenderOrder): Promise<Rendering | undefined> {
    const current = (thread ??= startThread(() => (thread = undefined)))
    try {
      return await askThread(await current, order, timeout)
    } catch {
      // A thread that ran out of memory has ended already, and is no longer in `thread`.
      thread = undefined
      await current.then((worker) => worker.terminate()).catch(() => {})
      return undefined
    }
  }

  return {
    render(text) {
      const known = cache.get(text.key)
      if (known !== undefined) return Promise.resolve(known)
      const underWay = pending.get(text.key) ?? renderNew(text).finally(() => pending.delete(text.key))
      pending.set(text.key, underWay)
      return underWay
    },
    async close() {
      await turn
      await thread?.then((worker) => worker.terminate()).catch(() => {})
      thread = undefined
    },
  }
}

function renderPlain({ content, rosetta, limit }: RenderOrder): Rendering {
  const { text, isCut } = decodeBeginning(content, rosetta, limit)
  return { markup: html`<pre class="plain" tabindex="0">${showHidden(text)}</pre>`.toString(), isCut }
}

/** @param onEnd is called when the thread has ended, whatever the reason */
async function startThread(onEnd: () => void): Promise<Worker> {
  const extension = extname(import.meta.url)
  const worker = new Worker(new URL(`./render-worker${extension}`, import.meta.url), {
    execArgv: extension === '.ts' ? ['--conditions=source'] : [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  worker.on('error', () => {}).once('exit', onEnd)
  try {
    await settle(worker, START_MS)
  } catch (error) {
    await worker.terminate()
    throw error
  }
  worker.unref()
  return worker
}

async function askThread(
  worker: Worker,
  order: RenderOrder,
  timeout: number,
): Promise<Rendering | undefined> {
  const answered = settle(worker, timeout)
  worker.ref()
  worker.postMessage(order)
  try {
    const { number, rendering } = await answered
    if (number !== order.number) throw new Error('The answer to something else')
    return rendering
  } finally {
    worker.unref()
  }
}

/** Waits for what the thread says next. @throws Error where it ends or takes too long */
function settle(worker: Worker, timeout: number): Promise<RenderAnswer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(() => reject(new Error('It takes too long'))), timeout)
    const onMessage = (answer: RenderAnswer): void => end(() => resolve(answer))
    const onEnd = (): void => end(() => reject(new Error('The thread ended')))
    worker.once('message', onMessage).once('error', onEnd).once('exit', onEnd)

    function end(finish: () => void): void {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd)
      finish()
    }
  })
}

/** Keeps what was rendered, the least lately used going first. */
interface RenderingCache {
  get(key: string): Rendering | undefined
  put(key: string, rendering: Rendering): void
}

/** @param most UTF-16 units of markup that are kept */
function createRenderingCache(most: number): RenderingCache {
  const kept = new Map<string, Rendering>()
  let size = 0
  return {
    get(key) {
      const found = kept.get(key)
      if (found === undefined) return undefined
      kept.delete(key)
      kept.set(key, found)
      return found
    },
    put(key, rendering) {
      size += rendering.markup.length - (kept.get(key)?.markup.length ?? 0)
      kept.delete(key)
      kept.set(key, rendering)
      for (const [oldest, { markup }] of kept) {
        if (size <= most) break
        kept.delete(oldest)
        size -= markup.length
      }
    },
  }
}
