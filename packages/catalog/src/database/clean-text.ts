/** Text that both databases can hold: what is no Unicode, and U+0000, which Postgres refuses, becomes U+FFFD. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
