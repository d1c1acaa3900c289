import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** A script in a process of its own, which is killed when the test ends. */
export interface RunningScript {
  /** Lines that it has printed. */
  readonly lines: readonly string[]
  /** Waits until it has printed a line, at this moment or before. Fails if it ends without. */
  sees(line: string | RegExp): Promise<void>
  /** Closes its stdin and waits for its end; fails unless it succeeds. Returns its lines. */
  end(): Promise<readonly string[]>
  /** Kills it without warning. */
  kill(): Promise<void>
}

export function startScript(script: URL, parameters: readonly string[]): RunningScript {
  const path = fileURLToPath(script)
  const name = basename(path)
  const child = spawn(process.execPath, ['-C', 'source', path, ...parameters], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const notify = (): void => {
    for (const check of waiting) check()
  }
  let errors = ''
  let hasClosed = false
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line)
    notify()
  })
  const closed = once(child, 'close').then(([code]) => {
    hasClosed = true
    notify()
    return code as number | null
  })
  return {
    lines,
    sees: (wanted) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const found = lines.some((line) =>
            typeof wanted === 'string' ? line === wanted : wanted.test(line),
          )
          if (!found && !hasClosed) return
          waiting.delete(check)
          if (found) resolve()
          else
            reject(
              new Error(`${name} ended without ${String(wanted)}: ${lines.slice(-9).join(' | ')} ${errors}`),
            )
        }
        waiting.add(check)
        check()
      }),
    async end() {
      child.stdin.end()
      const code = await closed
      if (code !== 0) throw new Error(`${name} failed: ${lines.slice(-3).join(' | ')} ${errors}`)
      return lines
    },
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
  }
}
