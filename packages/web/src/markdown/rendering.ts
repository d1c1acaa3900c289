/** A text as markup that is safe to show. */
export interface Rendering {
  readonly markup: string
  /** Whether the text goes on behind what is shown. */
  readonly isTruncated: boolean
}

/** What the thread that renders is asked. */
export interface RenderRequest {
  readonly id: number
  readonly content: string
  readonly rosetta: string
  readonly title: string
  /** Most UTF-16 units of text. */
  readonly limit: number
  /** Most UTF-16 units of markup. */
  readonly maxMarkup: number
}

/** What it answers, and at first, with the number 0, that it is ready: nothing but the number where the text is no tree that can be shown. */
export interface RenderResponse {
  readonly id: number
  readonly rendering?: Rendering
}
