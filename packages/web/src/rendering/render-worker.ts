import { serveTasks } from '@packs/threads'
import type { TextPart } from '../documents/read-document.ts'
import { renderMarkdown, type RenderedMarkdown } from './render-markdown.ts'

export interface RenderRequest extends Pick<TextPart, 'text' | 'headings' | 'otherIds'> {
  readonly title: string
  /** Maximum UTF-16 units of markup. */
  readonly maxMarkup: number
}

serveTasks(({ text, title, headings, otherIds, maxMarkup }: RenderRequest): RenderedMarkdown | undefined => {
  const rendered = renderMarkdown(text, title, headings, otherIds)
  return rendered.markup.length > maxMarkup ? undefined : rendered
})
