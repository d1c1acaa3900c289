export { createHtmlTag, html, trustMarkup, type Html, type HtmlTag, type HtmlValue } from './html.ts'
export { THEME } from './theme.ts'
