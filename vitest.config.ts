import { configDefaults, defineConfig } from 'vitest/config'

/** Tests of the codec about what is loaded, which the modules that other files have loaded would change. */
const loading = 'packages/codec/test/tokens/{get-tokenizer,stored-vocabulary}.test.ts'

export default defineConfig({
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    globalSetup: ['scripts/open-test-run.ts'],
    setupFiles: ['scripts/seed-properties.ts'],
    // Node resolves the packages that the program loads by itself from source, as Vite does.
    execArgv: ['-C', 'source'],
    testTimeout: 180_000,
    // A server that hangs is given up after 25 s, with its own error.
    hookTimeout: 60_000,
    // A state that is waited for may take long on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    // Half the tests wait for other processes; the default leaves one core to the person at the machine.
    maxWorkers: '100%',
    projects: [
      // Its functions are pure, so its files share the modules: vocabularies and the reference parser load half a second.
      {
        extends: true,
        test: {
          name: 'codec',
          include: ['packages/codec/test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, loading],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'others',
          include: [
            'packages/!(codec)/test/**/*.test.ts',
            loading,
            '{bench,examples,scripts}/test/**/*.test.ts',
          ],
        },
      },
    ],
  },
})
