import { defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    globalSetup: ['scripts/open-test-run.ts'],
    include: ['packages/*/test/**/*.test.ts', '{bench,examples,scripts}/test/**/*.test.ts'],
    setupFiles: ['scripts/seed-properties.ts'],
    // Node resolves the packages that the program loads by itself from source, as Vite does.
    execArgv: ['-C', 'source'],
    testTimeout: 180_000,
    // A server that hangs is given up after 25 s, with its own error.
    hookTimeout: 60_000,
    // Half the tests wait for other processes; the default leaves one core to the person at the machine.
    maxWorkers: '100%',
  },
})
