import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { startPack } from '../../../cli/test/run-pack.ts'

/** A running `pack serve` in a child process. */
export interface TestServer {
  readonly url: string
  /** Port that it listens on, even if its URL names another. */
  readonly port: number
  readonly process: ChildProcess
  /** The lines that it has logged so far. */
  readonly log: string[]
  /** Sends a signal and returns the exit status, or the signal that ended the process. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

/** Starts the program on a free port; it is killed when the test ends. */
export async function startServer(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const child = startPack(['serve', '--port', '0', '--json', ...args], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const log: string[] = []
  createInterface({ input: child.stderr! }).on('line', (line) => log.push(line))
  let text = ''
  for await (const line of createInterface({ input: child.stdout! })) {
    text += line
    if (line === '}') break
  }
  if (text === '') throw new Error(`pack serve did not start: ${log.join('\n')}`)
  const { url, port } = JSON.parse(text) as { url: string; port: number }
  return {
    url,
    port,
    process: child,
    log,
    async end(signal) {
      const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
      child.kill(signal)
      const [status, by] = await ended
      return status ?? by
    },
  }
}
