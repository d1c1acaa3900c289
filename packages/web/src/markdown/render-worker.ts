import { parentPort } from 'node:worker_threads'
import { decodeBeginning } from './decode-beginning.ts'
import { renderMarkdown } from './render-markdown.ts'
import type { RenderAnswer, RenderOrder } from './rendering.ts'

parentPort?.on('message', ({ number, content, rosetta, title, limit, mostMarkup }: RenderOrder) => {
  parentPort?.postMessage({ number, ...render() } satisfies RenderAnswer)

  function render(): Omit<RenderAnswer, 'number'> {
    try {
      const { text, isCut } = decodeBeginning(content, rosetta, limit)
      const markup = renderMarkdown(text, title)
      return markup.length > mostMarkup ? {} : { rendering: { markup, isCut } }
    } catch {
      return {}
    }
  }
})

// It has loaded what it needs: what comes now is timed.
parentPort?.postMessage({ number: 0 } satisfies RenderAnswer)
