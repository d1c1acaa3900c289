// `pnpm test:faults`: tests every fault that publishing must survive, with real processes. Saved as bench/results/faults.json.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeMachine, type Machine } from './measure.ts'
import { ROOT, withFolder } from './program.ts'
import { saveResults } from './results.ts'

export interface FaultResults {
  readonly machine: Machine
  readonly faults: readonly { readonly fault: string; readonly expected: string; readonly measured: string }[]
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      /** The fault and the expected behaviour, separated by an arrow. */
      readonly title: string
      readonly meta: { readonly figure?: string }
    }[]
  }[]
}

await withFolder(async (folder) => {
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=verbose', '--reporter=json', `--outputFile.json=${report}`]
  const tests = spawn('vitest', ['run', '--config', 'vitest.faults.config.ts', ...reporters], {
    cwd: ROOT,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  const [status] = (await once(tests, 'close')) as [number | null]
  process.exitCode = status ?? 1
  if (status !== 0) return
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  const faults = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .map(({ title, meta }) => {
      const [fault = '', expected = ''] = title.split(' → ')
      return { fault, expected, measured: meta.figure ?? 'as expected' }
    })
  await saveResults('faults', { machine: describeMachine(), faults } satisfies FaultResults)
})
