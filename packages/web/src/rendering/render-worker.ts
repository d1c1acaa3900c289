import { serveTasks } from '@packs/threads'
import type { Heading } from '../documents/read-document.ts'
import { renderMarkdown, type RenderedMarkdown } from './render-markdown.ts'

export interface RenderRequest {
  readonly text: string
  readonly title: string
  readonly headings: readonly Heading[]
  /** Maximum UTF-16 units of markup. */
  readonly maxMarkup: number
}

serveTasks(({ text, title, headings, maxMarkup }: RenderRequest): RenderedMarkdown | undefined => {
  const rendered = renderMarkdown(text, title, headings)
  return rendered.markup.length > maxMarkup ? undefined : rendered
})
