import { renderMarkdown } from './render-markdown.ts'
import type { RenderRequest, RenderResponse } from './rendering.ts'

process.on('message', ({ id, text, title, headings, maxMarkup }: RenderRequest) => {
  send({ id, ...render() })

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
send({ id: 0 })

function send(response: RenderResponse): void {
  process.send?.(response)
}
