import type { Heading } from '../documents/read-document.ts'
import type { RenderedMarkdown } from './render-markdown.ts'

/** A message to the rendering process. */
export interface RenderRequest {
  readonly id: number
  readonly text: string
  readonly title: string
  readonly headings: readonly Heading[]
  /** Maximum UTF-16 units of markup. */
  readonly maxMarkup: number
}

/**
 * A message from the rendering process. The first has the id 0 and says that it is ready. Without `rendered`,
 * the text could not be rendered as markdown.
 */
export interface RenderResponse {
  readonly id: number
  readonly rendered?: RenderedMarkdown
}
