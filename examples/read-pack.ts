import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parsePack, type Pack } from '@packs/codec/pack'

const defaultFolder = join(import.meta.dirname, '..', '.packs', 'examples')

/**
 * Reads `<slug>.pack.json` from the folder in the first argument of the program, else from the folder that `start` builds into.
 *
 * If the pack has not been built, it prints how to build it and ends the program with status 1.
 */
export async function readPack(
  slug: string,
  folder: string = process.argv[2] ?? defaultFolder,
): Promise<Pack> {
  const file = join(folder, `${slug}.pack.json`)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    endWithout(file)
  }
  return parsePack(text)
}

/** Reads all packs of the folder, by name, or says how to build them as {@link readPack} does. */
export async function readPacks(folder: string = process.argv[2] ?? defaultFolder): Promise<Pack[]> {
  const names = await readdir(folder).catch(() => [])
  const slugs = names.flatMap((name) => (name.endsWith('.pack.json') ? [name.slice(0, -10)] : []))
  if (slugs.length === 0) endWithout(join(folder, '*.pack.json'))
  return Promise.all(slugs.toSorted().map((slug) => readPack(slug, folder)))
}

function endWithout(file: string): never {
  console.error(`${relative('', file)} is missing. Build the example packs first: npx -y pnpm@12 start`)
  process.exit(1)
}
