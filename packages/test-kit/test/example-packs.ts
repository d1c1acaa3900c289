import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../../examples/packs')

/** A document of `examples/packs`. */
export interface ExamplePack {
  readonly slug: string
  /** Path below the folder. */
  readonly path: string
  readonly text: string
}

/** The documents of `examples/packs`, by path. */
export const examplePacks: readonly ExamplePack[] = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.mdx?$/.test(path))
  .toSorted()
  .map((path) => {
    const name = basename(path, extname(path))
    const slug = name === 'README' ? basename(dirname(path)) : name
    return { slug, path, text: readFileSync(join(FOLDER, path), 'utf8') }
  })

/** Returns the document with this slug. */
export function readExample(slug: string): ExamplePack {
  const found = examplePacks.find((example) => example.slug === slug)
  if (found === undefined) throw new Error(`no document of examples/packs is ${slug}`)
  return found
}

/** A line of a document without what minify takes from it: addresses and padding. */
export function plainLine(line: string): string {
  return line.replaceAll(/\]\((?:\{\{<[^<>]*>\}\}|[^)\s]*(?: "[^"]*")?)\)/g, ']').replaceAll(/ {2,}/g, ' ')
}
