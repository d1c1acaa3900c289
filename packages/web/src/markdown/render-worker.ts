import { parentPort } from 'node:worker_threads'
import { renderMarkdown } from './render-markdown.ts'
import type { RenderRequest, RenderResponse } from './rendering.ts'

parentPort?.on('message', ({ id, text, title, headings, maxMarkup }: RenderRequest) => {
  parentPort?.postMessage({ id, ...render() } satisfies RenderResponse)

  function render(): Omit<RenderResponse, 'id'> {
    try {
      const rendered = renderMarkdown(text, title, headings)
      return rendered.markup.length > maxMarkup ? {} : { rendered }
    } catch {
      return {}
    }
  }
})

// All modules are loaded, so the timeout of a request does not include loading.
parentPort?.postMessage({ id: 0 } satisfies RenderResponse)
