import { fork } from 'node:child_process'
import { once, type EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

export interface RunnerOptions {
  /**
   * Heap limit in megabytes. When one growing array exceeds it, a thread may take this whole
   * process down; a child process does not. @default no limit
   */
  readonly heapMb?: number
  /**
   * Whether to start a child process, with an empty environment and no output. @default a thread
   */
  readonly isProcess?: boolean
}

export interface Runner {
  /** Emits `message`, `error` and `exit`. */
  readonly events: EventEmitter
  post(task: unknown): void
  /** Sets whether it keeps this process alive. */
  hold(isHeld: boolean): void
  /** Ends it, even if busy. */
  end(): Promise<unknown>
}

export function startRunner(script: URL, options: RunnerOptions): Runner {
  const args = script.pathname.endsWith('.ts') ? ['--conditions=source'] : undefined
  const runner = (options.isProcess === true ? startProcess : startThread)(script, args, options)
  // Without a listener the event would throw. Tasks receive the runner's errors themselves.
  runner.events.on('error', () => undefined)
  return runner
}

function startThread(script: URL, execArgv: string[] | undefined, options: RunnerOptions): Runner {
  const { heapMb } = options
  const worker = new Worker(script, {
    ...(execArgv && { execArgv }),
    ...(heapMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: heapMb } }),
  })
  return {
    events: worker,
    post: (task) => worker.postMessage(task),
    hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
    end: () => worker.terminate(),
  }
}

function startProcess(script: URL, args: string[] = [], { heapMb }: RunnerOptions): Runner {
  const child = fork(fileURLToPath(script), {
    env: {},
    execArgv: [...args, ...(heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`])],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const hold = (isHeld: boolean): void => {
    for (const part of [child, child.channel]) {
      if (isHeld) part?.ref()
      else part?.unref()
    }
  }
  return {
    events: child,
    post: (task) => child.send(task as object),
    hold,
    async end() {
      // A process that could not be started has no pid.
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      hold(true)
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}
