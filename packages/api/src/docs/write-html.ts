import { createHash } from 'node:crypto'

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

/** How pages look: a stylesheet of this origin, or the small one of their own. */
export interface PageLook {
  readonly headers: Readonly<Record<string, string>>
  /** Writes a page. @param body HTML */
  write(title: string, body: string): string
}

/** Creates the look of pages, which load and run nothing but their style. @param stylesheet its path, if there is one */
export function createLook(stylesheet: string | null): PageLook {
  const hash = createHash('sha256').update(STYLE).digest('base64')
  const source = stylesheet === null ? `'sha256-${hash}'` : "'self'"
  const style =
    stylesheet === null
      ? `<style>${STYLE}</style>`
      : `<link rel="stylesheet" href="${escapeHtml(stylesheet)}">`
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'content-security-policy': `default-src 'none'; style-src ${source}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
    },
    write: (title, body) => writePage(title, body, style),
  }
}

function writePage(title: string, body: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${style}
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
}
