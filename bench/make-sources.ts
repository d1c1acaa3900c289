import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mix } from './measure.ts'
import { ROOT } from './program.ts'

const NOTE = 2000
const SECTIONS = 10
const PARAGRAPHS = 3
/** Files of a folder: file systems are slow with very many. */
const FOLDER = 500

/** Writes sources `pack-0`, `pack-1`, … below a folder, in 40 domains. */
export function writeSources(folder: string, count: number, makeBody: (index: number) => string): void {
  for (let index = 0; index < count; index++) {
    const inner = join(folder, String(Math.floor(index / FOLDER)))
    if (index % FOLDER === 0) mkdirSync(inner, { recursive: true })
    const fields = `slug: pack-${index}\ntitle: Pack ${index}\ndomain: Domain ${index % 40}`
    writeFileSync(
      join(inner, `pack-${index}.md`),
      `---\n${fields}\n---\n# Pack ${index}\n\n${makeBody(index)}`,
    )
  }
}

/** Returns a function that cuts notes of 2,000 characters from the example packs, or longer ones. */
export function createNoteMaker(length: number = NOTE): (index: number) => string {
  const folder = join(ROOT, 'examples/packs')
  const text = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.mdx?$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8').replace(/^---\n[^]*?\n---\n/, ''))
    .join('\n')
    // A cut may not end within a comment, which may be a directive.
    .replaceAll(/<!--[^]*?-->/g, '')
  return (index) => {
    const start = mix(index) % (text.length - length)
    return `Note ${index}.\n\n${text.slice(start, start + length).toWellFormed()}`
  }
}

/**
 * Returns a function that makes texts of ten sections whose paragraphs and headings come from real documents, so that words
 * are as frequent as they are there. Each section has a word of its own, as names in real texts are.
 */
export function createSectionMaker(texts: readonly string[]): (index: number) => string {
  const paragraphs = texts.flatMap(splitParagraphs).filter(({ length }) => length > 80 && length < 1500)
  const words = [...new Set(texts.join('\n').match(/\p{L}{4,}/gu))]
  const pick = <T>(list: readonly T[], seed: number): T => list[mix(seed) % list.length]!
  const name = (seed: number, length: number): string =>
    Array.from({ length }, (_, place) => pick(words, seed * 8 + place)).join(' ')
  return (index) =>
    Array.from({ length: SECTIONS }, (_, place) => {
      const seed = index * SECTIONS + place
      const own = `${pick(words, seed + 7)}${seed % 9973}`.toLowerCase()
      const text = Array.from({ length: PARAGRAPHS }, (_part, part) => pick(paragraphs, seed * 4 + part))
      return `## ${name(seed + 1_000_003, 2 + (seed % 3))}\n\n${text.join('\n\n')}\n\nSee \`${own}\`.\n`
    }).join('\n')
}

function splitParagraphs(text: string): string[] {
  return text
    .split(/\n{2,}/)
    .filter((paragraph) => /^\p{L}/u.test(paragraph) && !/```|~~~|<|^#/m.test(paragraph))
}
