/** A text as safe HTML. */
export interface Rendering {
  readonly markup: string
  /** Whether the text is longer than what is shown. */
  readonly isTruncated: boolean
}

/** A message to the rendering thread. */
export interface RenderRequest {
  readonly id: number
  readonly content: string
  readonly rosetta: string
  readonly title: string
  /** Maximum UTF-16 units of text. */
  readonly limit: number
  /** Maximum UTF-16 units of markup. */
  readonly maxMarkup: number
}

/**
 * A message from the rendering thread. The first has the id 0 and says that the thread is ready. Without a `rendering`, the
 * text could not be rendered as markdown.
 */
export interface RenderResponse {
  readonly id: number
  readonly rendering?: Rendering
}
