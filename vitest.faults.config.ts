import { defineConfig } from 'vitest/config'

/** `pnpm test:faults`: the tests of faults one after the other, with those that take too long for every run. */
export default defineConfig({
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['packages/cli/test/faults/*.{test,slow}.ts'],
    testTimeout: 180_000,
    fileParallelism: false,
    maxConcurrency: 1,
  },
})
