import { configDefaults, defineConfig, mergeConfig } from 'vitest/config'
import full from './vitest.config.ts'

/** `pnpm test:quick`: about a minute, for the working loop. Leaves out what waits for others or runs long. */
export default mergeConfig(
  full,
  defineConfig({
    test: {
      exclude: [
        ...configDefaults.exclude,
        // Postgres and Redis
        'packages/catalog/test/{postgres,start-postgres,sqlite,same-results,read-only,migrations,postgres-migrations}.test.ts',
        'packages/catalog/test/{quota/*,rate-limits/create-shared-rate-limiter}.test.ts',
        'packages/api/test/routes/damaged-packs.test.ts',
        'packages/publisher/test/{in-process,queue}/**',
        'packages/web/test/{accounts,mail,pages/settings}/**',
        // Browsers and other runtimes
        'packages/web/test/browser/**',
        '**/*.browser.test.ts',
        'packages/{client,codec}/test/runtimes/**',
        // Processes of the program
        'packages/cli/test/commands/**',
        'packages/server/test/{commands,faults,mcp,operations,serve,services,tarballs}/**',
        'packages/server/test/same-packs.test.ts',
        'packages/cli/test/{launcher,program,start-up}.test.ts',
        'scripts/test/{action,bundle-program,start-demo}.test.ts',
        'examples/test/{agents,search-catalog}.test.ts',
        // Long runs
        'packages/client/test/faults/**',
        '**/*.{corpus,property}.test.ts',
        'packages/codec/test/compress/bounded-work.test.ts',
        'scripts/test/regular-expressions.test.ts',
        '**/tokens/{long-runs,split,tokenizer}.test.ts',
        '**/markdown/{compare-structure,scan-lines}.test.ts',
        '**/version-builder/decide-version.test.ts',
      ],
    },
  }),
)
