import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { splitFrontMatter } from '@packs/codec/internal'
import { countTokens } from './reference-tokenizer.ts'

/** One whole markdown file of the benchmark, with its front matter. `bytes` counts UTF-8. */
export interface BenchDocument {
  /** Path below the corpus folder, with `/`. */
  readonly file: string
  readonly text: string
  readonly bytes: number
  readonly tokens: number
}

export interface Corpus {
  readonly name: 'corpus' | 'examples'
  readonly documents: readonly BenchDocument[]
}

/** Loads the shared corpus beside the repository if it exists, otherwise the example packs, sorted by path. */
export async function loadCorpus(root: string): Promise<Corpus> {
  const shared = join(root, '..', 'shared', 'corpus')
  const isShared = existsSync(shared)
  const folder = isShared ? shared : join(root, 'examples', 'packs')
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.mdx?$/.test(file)).sort()
  const documents = await Promise.all(
    files.map(async (file) =>
      createDocument(file.replaceAll(sep, '/'), await readFile(join(folder, file), 'utf8')),
    ),
  )
  return { name: isShared ? 'corpus' : 'examples', documents }
}

/** Loads the corpus without front matter, which a pack does not compress. */
export async function loadBodies(root: string): Promise<Corpus> {
  const { name, documents } = await loadCorpus(root)
  const bodies = documents.map(({ file, text }) =>
    createDocument(file, text.slice(splitFrontMatter(text).bodyStart)),
  )
  return { name, documents: bodies }
}

export function createDocument(file: string, text: string): BenchDocument {
  return { file, text, bytes: Buffer.byteLength(text), tokens: countTokens(text) }
}
