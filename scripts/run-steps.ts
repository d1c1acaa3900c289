import { spawn } from 'node:child_process'

/** One command of a sequence; `command[0]` is looked up on PATH (`node_modules/.bin` first under pnpm). */
export interface Step {
  readonly name: string
  readonly command: readonly [string, ...string[]]
}

export interface StepResult {
  readonly name: string
  readonly ok: boolean
  readonly seconds: number
}

/** Runs steps one after the other, stops at the first that fails, and reports every step and the total. */
export async function runSteps(
  steps: readonly Step[],
  write: (text: string) => void,
): Promise<readonly StepResult[]> {
  const results: StepResult[] = []
  for (const [index, step] of steps.entries()) {
    write(`\n── ${index + 1}/${steps.length} ${step.name}: ${step.command.join(' ')}\n`)
    const started = performance.now()
    const ok = await runCommand(step.command)
    results.push({ name: step.name, ok, seconds: (performance.now() - started) / 1000 })
    if (!ok) break
  }
  write(formatSummary(steps, results))
  return results
}

/** Formats one line per step (`ok`, `FAILED` or `not run`, with seconds) and a last line with the result. */
export function formatSummary(steps: readonly Step[], results: readonly StepResult[]): string {
  const width = Math.max(...steps.map((step) => step.name.length))
  const lines = steps.map((step, index) => {
    const result = results[index]
    const state = result === undefined ? 'not run' : result.ok ? 'ok' : 'FAILED'
    const time = result === undefined ? '' : `${result.seconds.toFixed(1)} s`
    return `${step.name.padEnd(width)}  ${state.padEnd(7)}  ${time.padStart(7)}`.trimEnd()
  })
  const total = results.reduce((sum, result) => sum + result.seconds, 0)
  const failed = results.find((result) => !result.ok)
  const verdict = failed === undefined ? `all ${steps.length} steps passed` : `failed at: ${failed.name}`
  return `\n${lines.join('\n')}\n\n${verdict}, ${total.toFixed(1)} s\n`
}

async function runCommand([program, ...args]: readonly [string, ...string[]]): Promise<boolean> {
  const child = spawn(program, args, { stdio: 'inherit', shell: process.platform === 'win32' })
  return new Promise((resolve) => {
    child.on('error', (error) => {
      process.stderr.write(`${program}: ${error.message}\n`)
      resolve(false)
    })
    child.on('close', (code) => resolve(code === 0))
  })
}
