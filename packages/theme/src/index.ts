export { html, type Html, type HtmlValue, markup, THEME, trustMarkup } from './html.ts'
export { type OfflinePage, renderOfflinePage } from './html.ts'
export { createTermStyle, TERM_SCRIPT } from './lit-prompt.ts'
export { type LitPrompt, renderLitPrompt } from './lit-prompt.ts'
