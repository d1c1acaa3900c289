import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const roots = ['../../../../../shared/corpus', '../../../../examples'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

/** Real markdown documents: the examples, and the corpus next to the checkout if it exists. */
export function readCorpus(): string[] {
  return roots
    .filter((root) => existsSync(root))
    .flatMap((root) =>
      globSync('**/*.md', { cwd: root }).map((path) => readFileSync(`${root}/${path}`, 'utf8')),
    )
}
