import { defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', '{bench,examples,scripts}/test/**/*.test.ts'],
    setupFiles: ['scripts/seed-properties.ts'],
    testTimeout: 180_000,
  },
})
