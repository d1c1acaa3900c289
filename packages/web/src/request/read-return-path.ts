const SAFE_PATH = /^\/(?!\/)[\w\-./~%?=&+,:@!$'()*;]{0,500}$/

/** A path on this site to go back to; `fallback` for anything else, such as an address of another site. */
export function readReturnPath(value: unknown, fallback: string): string {
  if (typeof value !== 'string' || !SAFE_PATH.test(value)) return fallback
  const base = 'http://site.invalid'
  return URL.canParse(value, base) && new URL(value, base).origin === base ? value : fallback
}
