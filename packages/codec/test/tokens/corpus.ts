import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

const [CORPUS, EXAMPLES] = ['../../../../../shared/corpus', '../../../../examples'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
) as [string, string]

/**
 * Real markdown documents: the examples, and those of the corpus next to the checkout if it exists.
 *
 * @param every Takes only every so many documents of the corpus. @default 6, and all in `pnpm test:exact`
 */
export function readCorpus(every = countRuns(1) > 1 ? 1 : 6): string[] {
  return [CORPUS, EXAMPLES].flatMap((root) =>
    existsSync(root)
      ? globSync('**/*.md', { cwd: root })
          .toSorted()
          .filter((_, at) => root === EXAMPLES || at % every === 0)
          .map((path) => readFileSync(`${root}/${path}`, 'utf8'))
      : [],
  )
}
