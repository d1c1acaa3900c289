import type { Diagnostic } from '../output/diagnostic.ts'
import { formatCount } from '../output/format-table.ts'
import { markup, type Markup } from './markup.ts'

/** Most messages of a source that are shown. */
const MESSAGES = 20

/** Renders what is to be said of a source beside figures. */
export function renderMessages(messages: readonly Diagnostic[]): Markup {
  if (messages.length === 0) return markup``
  const shown = messages.slice(0, MESSAGES)
  const rest = messages.length - shown.length
  const more = rest > 0 ? markup`<li>${formatCount(rest)} more</li>` : ''
  return markup`<ul class="messages">${shown.map(renderMessage)}${more}</ul>
`
}

function renderMessage({ file, line, column, severity, message, rule, hint }: Diagnostic): Markup {
  const place = line === null ? file : `${file}:${line}:${column ?? 1}`
  const note = hint === null ? '' : markup`<br><small>${hint}</small>`
  return markup`<li><b class="${severity}">${severity}</b> ${message} <small>${rule}, <bdi>${place}</bdi></small>${note}</li>
`
}
