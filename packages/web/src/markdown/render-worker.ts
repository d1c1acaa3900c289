import { parentPort } from 'node:worker_threads'
import { decodeBeginning } from './decode-beginning.ts'
import { renderMarkdown } from './render-markdown.ts'
import type { RenderRequest, RenderResponse } from './rendering.ts'

parentPort?.on('message', ({ id, content, rosetta, title, limit, maxMarkup }: RenderRequest) => {
  parentPort?.postMessage({ id, ...render() } satisfies RenderResponse)

  function render(): Omit<RenderResponse, 'id'> {
    try {
      const { text, isTruncated } = decodeBeginning(content, rosetta, limit)
      const markup = renderMarkdown(text, title)
      return markup.length > maxMarkup ? {} : { rendering: { markup, isTruncated } }
    } catch {
      return {}
    }
  }
})

// All modules are loaded, so the timeout of a request does not include loading.
parentPort?.postMessage({ id: 0 } satisfies RenderResponse)
