import { defineConfig } from 'vitest/config'

/** `pnpm test:faults`: all fault tests one after the other, including those too slow for `pnpm test`. */
export default defineConfig({
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['packages/cli/test/faults/*.{test,slow}.ts'],
    testTimeout: 180_000,
    fileParallelism: false,
    maxConcurrency: 1,
  },
})
