// `pnpm test:faults`: tests every fault that publishing must survive, with real processes, and saves the measurements in bench/results.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeMachine } from './results.ts'

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      /** The fault and the expected behaviour, separated by an arrow. */
      readonly title: string
      readonly status: string
      readonly meta: { readonly figure?: string }
    }[]
  }[]
}

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'packs-faults-'))
try {
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=verbose', '--reporter=json', `--outputFile.json=${report}`]
  const tests = spawn('vitest', ['run', '--config', 'vitest.faults.config.ts', ...reporters], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  const [status] = (await once(tests, 'close')) as [number | null]
  const table = formatFaults(JSON.parse(readFileSync(report, 'utf8')) as Report)
  process.stdout.write(`\n${table}`)
  if (status === 0) await writeFile(join(root, 'bench/results/faults.md'), table)
  else process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function formatFaults({ testResults }: Report): string {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const { cores, cpu, memoryGB, node } = describeMachine()
  const rows = tests.map(({ title, status, meta }) => {
    const [fault = '', goal = ''] = title.split(' → ')
    return `| ${fault} | ${goal} | ${status === 'passed' ? (meta.figure ?? 'as expected') : `**${status}**`} |`
  })
  return [
    '# Faults of publishing',
    '',
    `${cores} × ${cpu}, ${memoryGB} GB, Node ${node.slice(1)}. Load average over five minutes: ${(loadavg()[1] ?? 0).toFixed(1)}. Times include the start of processes.`,
    '',
    '| fault | expected | measured |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}
