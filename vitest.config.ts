import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Test files that change what other files of their process would see. The others share processes and loaded modules. */
const ALONE = [
  // about which modules are loaded
  'packages/codec/test/tokens/{get-tokenizer,stored-vocabulary}.test.ts',
  'packages/cli/test/user-cache/load-tokenizer.test.ts',
  // replace a module
  'packages/ai-sdk/test/ai-6.test.ts',
  'packages/cli/test/prompt/read-packs.test.ts',
  'packages/client/test/files/ensure-home.test.ts',
  // hash passwords at the real cost, which the tests of pages lower
  'packages/web/test/accounts/passwords.test.ts',
]

/** Starts the files first that have taken longest, so that none of them runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const report = readFileSync(new URL('bench/results/tests.json', import.meta.url), 'utf8')
    const { slowest } = (JSON.parse(report) as { now: { slowest: { name: string }[] } }).now
    const ranks = new Map(slowest.map(({ name }, rank) => [name, rank]))
    const rank = (file: TestSpecification): number =>
      ranks.get(relative(import.meta.dirname, file.moduleId)) ?? slowest.length
    const sorted = await super.sort(files)
    // The files of a project stay together, because they share processes.
    return sorted.toSorted((a, b) => (a.project.name === b.project.name ? rank(a) - rank(b) : 0))
  }
}

export default defineConfig({
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    globalSetup: ['scripts/open-test-run.ts'],
    setupFiles: ['scripts/seed-properties.ts'],
    // Node resolves the packages that the program loads by itself from source, as Vite does.
    execArgv: ['-C', 'source'],
    testTimeout: 180_000,
    // A server that hangs is given up after 45 s, with its own error.
    hookTimeout: 60_000,
    // A state that is waited for may take long on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    // Many tests wait for other processes; the default leaves one core to the person at the machine.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['packages/*/test/**/*.test.ts', '{bench,examples,scripts}/test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ALONE],
          isolate: false,
        },
      },
    ],
  },
})
