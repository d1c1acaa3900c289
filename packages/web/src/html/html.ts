import { html, raw } from 'hono/html'

/** Markup that is escaped where it came from text; as a value of a template it is taken as it is. */
export type Html = ReturnType<typeof html>

/** Takes markup that was made safe already. For nothing else: what a template gets as text it escapes by itself. */
export const trustMarkup: (markup: string) => Html = raw

/** The text of markup. */
export async function writeHtml(markup: Html): Promise<string> {
  const text: { toString(): string } = await markup
  return text.toString()
}

export { html }
