import { readFileSync } from 'node:fs'
import type { Tokenizer } from '@packs/codec/compress'
import { outlineSections } from '@packs/codec/sections'

/** A section with its text and what it costs. */
export interface SetSection {
  /** `slug#id` */
  readonly name: string
  readonly title: string
  readonly path: readonly string[]
  readonly text: string
  readonly tokens: number
}

/** A published document. */
export interface SetPack {
  readonly file: string
  readonly slug: string
  readonly title: string
  readonly body: string
  readonly tokens: number
  readonly sections: readonly SetSection[]
}

/** A query with the packs and sections that answer it: slugs, and `slug#id`. */
export interface Query {
  readonly text: string
  readonly kind: string
  readonly packs: ReadonlySet<string>
  /** The sections that answer each part of the question; none if the pack as a whole is meant, or nothing answers. */
  readonly parts: readonly ReadonlySet<string>[]
}

interface StoredQuery {
  readonly query: string
  readonly kind: string
  /** Paths of the documents, each of which answers; none for `no answer` and `common word`. */
  readonly packs: readonly string[]
  readonly sections: StoredSections | null
  readonly parts?: readonly StoredSections[]
}

type StoredSections = readonly { readonly pack: string; readonly heading: string }[]

export function describePack(
  pack: Pick<SetPack, 'file' | 'slug' | 'title' | 'body'>,
  tokenizer: Tokenizer,
): SetPack {
  const sections = outlineSections(pack.body, tokenizer).map(({ id, title, path, start, end, tokens }) => ({
    name: `${pack.slug}#${id}`,
    title,
    path,
    text: pack.body.slice(start, end),
    tokens,
  }))
  return { ...pack, tokens: tokenizer.countTokens(pack.body), sections }
}

/** Reads the queries over the shared corpus or the examples. */
export function readQueries(corpus: 'corpus' | 'examples', packs: readonly SetPack[]): Query[] {
  const file = corpus === 'corpus' ? 'queries.json' : 'example-queries.json'
  const stored = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as {
    queries: StoredQuery[]
  }
  const byFile = new Map(packs.map((pack) => [pack.file, pack]))
  const nameSections = (sections: StoredSections): ReadonlySet<string> => {
    const names = sections.flatMap(({ pack, heading }) => {
      const found = byFile.get(pack)!.sections.filter(({ title }) => fold(title) === fold(heading))
      if (found.length === 0) throw new Error(`${pack} has no heading ${JSON.stringify(heading)}`)
      return found.map(({ name }) => name)
    })
    return new Set(names)
  }
  return stored.queries.map(({ query, kind, packs: paths, sections, parts }) => ({
    text: query,
    kind,
    packs: new Set(paths.map((path) => byFile.get(path)!.slug)),
    parts: (parts ?? (sections === null ? [] : [sections])).map(nameSections),
  }))
}

/** Only letters and digits, without links, tags and explicit ids. */
function fold(heading: string): string {
  return heading
    .replace(/\{#[^}]*\}/g, '')
    .replace(/<[^>]*>/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}
