export { html, type Html, type HtmlValue, markup, THEME, trustMarkup } from './html.ts'
export { type OfflinePage, renderOfflinePage } from './offline-page.ts'
export { createTermRules, TERM_SCRIPT, TERM_STYLE } from './term-style.ts'
export { type LitPrompt, renderLitPrompt } from './lit-prompt.ts'
