import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

/** Test files that change what other files of their process would see. The others share processes and loaded modules. */
const ALONE = [
  // about which modules are loaded
  'packages/codec/test/tokens/{get-tokenizer,stored-vocabulary}.test.ts',
  'packages/cli/test/user-cache/load-tokenizer.test.ts',
  // replace a module
  'packages/ai-sdk/test/ai-6.test.ts',
  'packages/cli/test/prompt/read-packs.test.ts',
  'packages/files/test/ensure-home.test.ts',
  // hash passwords at the real cost, which the tests of pages lower
  'packages/web/test/accounts/passwords.test.ts',
]

export default defineConfig({
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    globalSetup: ['scripts/open-test-run.ts'],
    setupFiles: ['scripts/seed-properties.ts', 'scripts/use-bundled-workers.ts'],
    // Node resolves the packages that the program loads by itself from source, as Vite does.
    execArgv: ['-C', 'source'],
    testTimeout: 180_000,
    // A server that hangs is given up after 45 s, with its own error.
    hookTimeout: 60_000,
    // A state that is waited for may take long on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    // Many tests wait for other processes; the default leaves one core to the person at the machine.
    maxWorkers: availableParallelism() + 1,
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
