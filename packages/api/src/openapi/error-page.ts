import type { ApiErrorCode } from '../errors/api-error.ts'
import { problemTable } from '../errors/problem-table.ts'
import { escapeHtml, escapeWithCode, type PageLook } from './write-html.ts'

/** Writes the page that the `type` of a problem leads to. */
export function writeErrorPage(code: ApiErrorCode, look: PageLook): string | Promise<string> {
  const { status, title, meaning, remedy } = problemTable[code]
  return look.write(
    `${code}: ${title}`,
    `<h1><code>${code}</code></h1>
<p><strong>${escapeHtml(title)}</strong> (status ${status})</p>
<h2>What it means</h2>
<p>${escapeWithCode(meaning)}</p>
<h2>What to do</h2>
<p>${escapeWithCode(remedy)}</p>
<p><a href="/docs#errors">All codes</a></p>`,
  )
}
