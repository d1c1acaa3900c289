import { readFileSync } from 'node:fs'
import type { NewVersion } from '@packs/catalog'
import { splitSections } from '@packs/codec/sections'
import { decode } from '@packs/codec'
import { buildVersion } from '@packs/publisher'
import { loadCorpus, type BenchDocument } from '../documents.ts'
import { createNewVersion } from '../catalog/make-versions.ts'

/** A query and what answers it, as the files of queries hold it. */
interface StoredQuery {
  readonly query: string
  readonly kind: string
  /** Paths of the documents, each of which answers. */
  readonly packs: readonly string[]
  /** Headings of sections, each of which answers; `null` if the pack as a whole is meant. */
  readonly sections: readonly { readonly pack: string; readonly heading: string }[] | null
}

/** A query with the packs and sections that answer it: slugs, and `slug#id`. */
export interface Query {
  readonly text: string
  readonly kind: string
  readonly packs: ReadonlySet<string>
  readonly sections: ReadonlySet<string> | null
}

/** Packs and queries over them. */
export interface QuerySet {
  readonly name: 'corpus' | 'examples'
  readonly versions: readonly NewVersion[]
  readonly documents: readonly BenchDocument[]
  readonly queries: readonly Query[]
}

/** Builds the documents of the shared corpus, or those of `examples/` where it is missing, without compression. */
export async function loadQuerySet(root: string): Promise<QuerySet> {
  const { name, documents } = await loadCorpus(root)
  const file = name === 'corpus' ? 'queries.json' : 'example-queries.json'
  const stored = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as {
    queries: StoredQuery[]
  }
  const versions = new Map<string, NewVersion>()
  for (const { file: path, text } of documents) {
    const slug = path
      .replace(/\.md$/, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, 100)
      .replace(/-$/, '')
    const given = { slug, compression: 'none' as const }
    const { pack } = await buildVersion({ bytes: Buffer.from(text), path, defaults: given }, undefined)
    versions.set(path, createNewVersion(pack))
  }
  return {
    name,
    versions: [...versions.values()],
    documents,
    queries: stored.queries.map((query) => resolveQuery(query, versions)),
  }
}

function resolveQuery(
  { query, kind, packs, sections }: StoredQuery,
  versions: ReadonlyMap<string, NewVersion>,
): Query {
  const packOf = (path: string): NewVersion['pack'] => {
    const version = versions.get(path)
    if (version === undefined)
      throw new Error(`The query ${JSON.stringify(query)} names ${path}, which is missing`)
    return version.pack
  }
  const ids = sections?.flatMap(({ pack: path, heading }) => {
    const { content, rosetta, slug } = packOf(path)
    const found = splitSections(decode(content, rosetta)).filter(({ title }) => fold(title) === fold(heading))
    if (found.length === 0) throw new Error(`${path} has no heading ${JSON.stringify(heading)}`)
    return found.map(({ id }) => `${slug}#${id}`)
  })
  return {
    text: query,
    kind,
    packs: new Set(packs.map((path) => packOf(path).slug)),
    sections: ids ? new Set(ids) : null,
  }
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
