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
  return {
    name: isShared ? 'corpus' : 'examples',
    documents: await loadFolder(isShared ? shared : join(root, 'examples', 'packs')),
  }
}

/** Loads all markdown files of a folder, sorted by path. */
async function loadFolder(folder: string): Promise<BenchDocument[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.mdx?$/.test(file)).sort()
  return Promise.all(
    files.map(async (file) =>
      createDocument(file.replaceAll(sep, '/'), await readFile(join(folder, file), 'utf8')),
    ),
  )
}

/** Loads the corpus without front matter, which a pack does not compress. */
export async function loadBodies(root: string): Promise<Corpus> {
  const { name, documents } = await loadCorpus(root)
  return { name, documents: documents.map(cutMatter) }
}

/** Loads the pages of a folder that have a body, without front matter. */
export async function loadTree(folder: string): Promise<BenchDocument[]> {
  return (await loadFolder(folder)).map(cutMatter).filter(({ text }) => text.trim() !== '')
}

function cutMatter({ file, text }: BenchDocument): BenchDocument {
  return createDocument(file, text.slice(splitFrontMatter(text).bodyStart))
}

export function createDocument(file: string, text: string): BenchDocument {
  return { file, text, bytes: Buffer.byteLength(text), tokens: countTokens(text) }
}
