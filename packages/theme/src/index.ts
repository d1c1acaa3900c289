export { html, type Html, type HtmlValue, markup, THEME, trustMarkup } from './html.ts'
export { type OfflinePage, renderOfflinePage } from './offline-page.ts'
export { createTermStyle, TERM_SCRIPT } from './term-style.ts'
export { type LitPrompt, renderLitPrompt } from './lit-prompt.ts'
