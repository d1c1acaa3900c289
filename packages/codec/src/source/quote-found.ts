/** Quotes what was found, at most 80 characters of it, without breaking a character in two. */
export function quoteFound(text: string): string {
  const cut = text.length > 80 ? `${text.slice(0, 80).replace(/[\uD800-\uDBFF]$/, '')}…` : text
  return JSON.stringify(cut)
}
