import { serveTasks } from '@packs/threads'
import type { TextPart } from '../documents/read-document.ts'
import { renderMarkdown, type RenderedMarkdown } from './render-markdown.ts'

export interface RenderRequest extends Pick<TextPart, 'text' | 'headings' | 'otherIds'> {
  readonly title: string
}

/** UTF-16 units; a text with more is shown as it is. */
const MAX_MARKUP = 1_000_000

serveTasks(({ text, title, headings, otherIds }: RenderRequest): RenderedMarkdown | undefined => {
  const rendered = renderMarkdown(text, title, headings, otherIds)
  return rendered.markup.length > MAX_MARKUP ? undefined : rendered
})
