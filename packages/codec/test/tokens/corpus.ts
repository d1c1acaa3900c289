import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [CORPUS, EXAMPLES] = ['../../../../../shared/corpus', '../../../../examples'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
) as [string, string]

/**
 * Real markdown documents: the examples, and the corpus next to the checkout if it exists.
 *
 * @param every Takes only every so many documents of the corpus. @default 1
 */
export function readCorpus(every = 1): string[] {
  return [CORPUS, EXAMPLES].flatMap((root) =>
    existsSync(root)
      ? globSync('**/*.md', { cwd: root })
          .toSorted()
          .filter((_, at) => root === EXAMPLES || at % every === 0)
          .map((path) => readFileSync(`${root}/${path}`, 'utf8'))
      : [],
  )
}
