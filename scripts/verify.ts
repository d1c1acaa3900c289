// `pnpm verify`: all checks that a change must pass.
import { existsSync } from 'node:fs'
import { runSteps, type Step } from './run-steps.ts'

const packages = ['codec', 'catalog', 'publisher', 'api', 'web', 'server', 'cli'].filter((name) =>
  existsSync(`packages/${name}/package.json`),
)

const steps: readonly Step[] = [
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'types and build', command: ['tsc', '-b'] },
  { name: 'bundle of the program', command: ['node', 'scripts/bundle-program.js'] },
  { name: 'lint', command: ['oxlint'] },
  { name: 'tests', command: ['vitest', 'run'] },
  ...packages.map((name): Step => ({
    name: `publint ${name}`,
    command: ['publint', '--strict', '--pack', 'npm', `packages/${name}`],
  })),
  ...packages.map((name): Step => ({
    name: `attw ${name}`,
    command: ['attw', '--pack', `packages/${name}`, '--profile', 'esm-only', '--format', 'ascii'],
  })),
  { name: 'knip', command: ['knip'] },
]

const results = await runSteps(steps, (text) => process.stdout.write(text))
if (results.some((result) => !result.ok)) process.exitCode = 1
