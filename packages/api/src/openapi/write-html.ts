import { createHash } from 'node:crypto'
import type { ApiSite } from '../ports.ts'

/** Text that stands for itself in HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Escaped text in which what stands between backquotes is code. */
export function escapeWithCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 1rem 1rem 4rem }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8886 }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #8884 }
section { margin-top: 2.5rem }`

/** How pages of the documentation look. */
export type PageLook = Pick<ApiSite, 'headers' | 'write'>

/** Creates a look of its own for pages that stand alone; they load and run nothing. */
export function createLook(): PageLook {
  const hash = createHash('sha256').update(STYLE).digest('base64')
  return {
    headers: {
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
    },
    write: writePage,
  }
}

function writePage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
}
