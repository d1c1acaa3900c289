import { defineConfig } from 'vitest/config'

/** `pnpm test:faults`: all fault tests one after the other, including those too slow for `pnpm test`. */
export default defineConfig({
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    globalSetup: ['scripts/open-test-run.ts'],
    include: ['packages/server/test/faults/*.{test,slow}.ts'],
    execArgv: ['-C', 'source'],
    testTimeout: 180_000,
    // A server that hangs is given up after 25 s, with its own error.
    hookTimeout: 60_000,
    fileParallelism: false,
    maxConcurrency: 1,
  },
})
