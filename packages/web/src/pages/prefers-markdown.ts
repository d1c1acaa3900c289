export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'

/**
 * Tells whether a request asks for markdown: `Accept` must name it, and prefer it to HTML or treat both alike. Browsers never name
 * it, so that they get HTML.
 *
 * @example
 * prefersMarkdown('text/markdown, text/html;q=0.9, *\/*;q=0.8') // true
 */
export function prefersMarkdown(accept: string | undefined): boolean {
  if (accept === undefined || !/text\/markdown/i.test(accept)) return false
  const qualities = new Map(accept.toLowerCase().split(',', 50).map(parseRange))
  const markdown = qualities.get('text/markdown') ?? 0
  const html = qualities.get('text/html') ?? qualities.get('text/*') ?? qualities.get('*/*') ?? 0
  return markdown > 0 && markdown >= html
}

/** Parses a media range and its quality, which is 1 if it is absent or unreadable. */
function parseRange(range: string): readonly [type: string, quality: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length)
  const number = Number(quality ?? 1)
  return [type, Number.isNaN(number) ? 1 : Math.min(Math.max(number, 0), 1)]
}
