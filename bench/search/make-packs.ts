import type { NewVersion } from '@packs/catalog'
import { makeVersion, mix } from '../catalog/make-versions.ts'

/** Paragraphs of a section. */
const PARAGRAPHS = 3
const SECTIONS = 10

/**
 * Creates packs of ten sections whose paragraphs and headings come from real documents, so that words are as frequent as they are
 * there. Each section also has a word of its own, as names in real texts are.
 */
export function createPackMaker(texts: readonly string[]): (index: number) => NewVersion {
  const paragraphs = texts.flatMap(splitParagraphs).filter(({ length }) => length > 80 && length < 1500)
  const words = [...new Set(texts.join('\n').match(/\p{L}{4,}/gu))]
  const pick = <T>(list: readonly T[], seed: number): T => list[mix(seed) % list.length]!
  const name = (seed: number, length: number): string =>
    Array.from({ length }, (_, place) => pick(words, seed * 8 + place)).join(' ')
  return (index) => {
    const title = name(index, 3 + (index % 3))
    const sections = Array.from({ length: SECTIONS }, (_, place) => {
      const seed = index * SECTIONS + place
      const own = `${pick(words, seed + 7)}${seed % 9973}`.toLowerCase()
      const text = Array.from({ length: PARAGRAPHS }, (_part, part) => pick(paragraphs, seed * 4 + part))
      return `## ${name(seed + 1_000_003, 2 + (seed % 3))}\n\n${text.join('\n\n')}\n\nSee \`${own}\`.\n`
    })
    return makeVersion(index, title, `# ${title}\n\n${sections.join('\n')}`)
  }
}

function splitParagraphs(text: string): string[] {
  return text
    .split(/\n{2,}/)
    .filter((paragraph) => /^\p{L}/u.test(paragraph) && !/```|~~~|<|^#/m.test(paragraph))
}
