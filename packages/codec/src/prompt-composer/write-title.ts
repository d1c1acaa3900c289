import type { PromptDocument } from './types.ts'

type TitledPack = Pick<PromptDocument, 'title' | 'description' | 'format' | 'front_matter'>

/**
 * Returns a title that stands above the body of a pack, and its description: as a heading and a paragraph. Empty if
 * its author stated no title, or if the first line or heading of the body is the title.
 */
export function writeTitle(pack: TitledPack, body: string): string {
  const title = joinLines(pack.title ?? '')
  if (!title || !isStated(pack, title) || beginsWith(body, fold(title))) return ''
  const description = joinLines(pack.description ?? '')
  return `# ${title}\n\n${description && `${description}\n\n`}`
}

function isStated({ format, front_matter: front = '' }: TitledPack, title: string): boolean {
  return format === undefined || fold(front).includes(`title${fold(title)}`)
}

/** Most UTF-16 units of a body in which its first heading is looked for. */
const BEGINNING = 65_536

/** @param title folded */
function beginsWith(body: string, title: string): boolean {
  const beginning = body.slice(0, BEGINNING)
  return [/\S.*/, /^ {0,3}#{1,6}[ \t].*/m].some((pattern) => {
    const line = pattern.exec(beginning)?.[0] ?? ''
    const plain = line.replace(/<[^<>]*>|\]\([^()]*\)|\{#[^{}]*\}/g, '')
    return fold(line) === title || fold(plain) === title
  })
}

/** Reduces a text to its letters and digits, so that markdown, quotes and spaces make no difference. */
function fold(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase()
}

function joinLines(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}
