import { extname } from 'node:path'
import { createTaskThread } from '@packs/threads'
import type { LoadingCache } from '@packs/catalog'
import type { ListedHeading } from '../documents/divide-text.ts'
import type { TextPart } from '../documents/read-document.ts'
import { escapeBidi } from '../html/display-text.ts'
import { html } from '@packs/theme'
import type { RenderedMarkdown } from './render-markdown.ts'
import type { RenderRequest } from './render-worker.ts'

interface TextToRender {
  readonly key: string
  readonly title: string
  /** Network of the visitor; networks take turns. */
  readonly owner: string
  /** Loads the text; not called if its rendering is cached. */
  readonly load: () => Promise<TextPart>
}

/** A part of a text as safe HTML. */
export interface Rendering extends Pick<TextPart, 'isWhole'> {
  readonly markup: string
  readonly contents: Contents
  /** Of a failure: when, and after which wait, the text is rendered again. */
  readonly retry?: { readonly at: number; readonly wait: number }
}

/** The headings of a whole text, except one that repeats the title. */
export interface Contents {
  /** An entry that is here has an anchor in the markup, unless that is plain text. */
  readonly entries: readonly ListedHeading[]
  readonly total: number
}

export interface Renderer {
  /** Renders plain text if markdown fails or takes too long. Rejects if loading fails. */
  render(text: TextToRender): Promise<Rendering>
  close(): Promise<void>
}

/** Texts waiting or being rendered, in total and per network. */
const MAX_PENDING = 32
const MAX_PENDING_PER_OWNER = 8
const MAX_HEAP_MB = 256
/** Milliseconds until a text is rendered again after a failure; twice as long after each more. */
const RETRY_MS = 60_000

/**
 * Renders in a separate process, one text at a time, for networks in turn. Markdown crafted to be
 * slow or large is stopped and does not block the server. A thread would not do: if it ran out of
 * memory, Node might end the whole process.
 * @param timeout time limit for one text, in milliseconds
 * @param clock monotonic, in milliseconds
 */
export function createRenderer(
  cache: LoadingCache,
  timeout = 4000,
  clock: () => number = () => performance.now(),
): Renderer {
  const script = new URL(`./render-worker${extname(import.meta.url)}`, import.meta.url)
  const thread = createTaskThread(script, timeout / 1000, {
    isProcess: true,
    heapMb: MAX_HEAP_MB,
    slots: MAX_PENDING,
    slotsPerOwner: MAX_PENDING_PER_OWNER,
  })

  return {
    render({ key, title, owner, load }) {
      const name = `rendering ${key}`
      const failed = cache.get<Rendering>(name)
      if (failed?.retry !== undefined && failed.retry.at <= clock()) cache.resize(name, failed, 0)
      const wait = 2 * (failed?.retry?.wait ?? RETRY_MS / 2)
      let isRefused = false
      let retry: Rendering['retry']
      const loadRendering = async (): Promise<Rendering> => {
        const { text, headings, otherIds, isWhole, ...part } = await load()
        isRefused = !thread.hasSlot(owner)
        const request: RenderRequest = { title, text, headings, otherIds }
        const rendered = isRefused
          ? undefined
          : await thread.run<RenderedMarkdown | undefined>(request, title, { owner }).catch(() => {
              retry = { at: clock() + wait, wait }
              return undefined
            })
        const markup =
          rendered?.markup ?? html`<pre class="plain" tabindex="0">${escapeBidi(text)}</pre>`.toString()
        const entries = part.contents.filter(({ id }) => id !== rendered?.titleId)
        const contents = { entries, total: part.headingCount - (part.contents.length - entries.length) }
        return { isWhole, markup, contents, ...(retry && { retry }) }
      }
      return cache.obtain(name, loadRendering, (rendering) => (isRefused ? 0 : measure(rendering)))
    },
    close: () => thread.close(),
  }
}

/** Bytes of markup and headings; at least one. */
function measure({ markup, contents }: Rendering): number {
  const headings = contents.entries.reduce((sum, { id, title }) => sum + id.length + title.length, 0)
  return 2 * (markup.length + headings) + 1
}
