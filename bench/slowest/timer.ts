import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TextRequest, TextTiming } from './time-text.ts'

/** Times texts in a child process, which is ended if a text takes too long. */
export class TextTimer {
  private child: ChildProcess | undefined
  private next = 0
  private readonly limitMs: number

  /** @param limitMs Longest time of one text. */
  constructor(limitMs: number) {
    this.limitMs = limitMs
  }

  /** Returns the time of a text ÷ that of English; Infinity if it was ended, NaN if it failed. */
  async time(request: Omit<TextRequest, 'id'>): Promise<number> {
    const id = this.next++
    const child = (this.child ??= this.start())
    const timing = await new Promise<TextTiming | 'late' | 'failed'>((resolve) => {
      const timer = setTimeout(() => resolve('late'), this.limitMs)
      child.removeAllListeners()
      child.once('message', (answer: TextTiming) => {
        clearTimeout(timer)
        resolve(answer)
      })
      child.once('exit', () => {
        clearTimeout(timer)
        resolve('failed')
      })
      child.send({ ...request, id })
    })
    if (typeof timing === 'object') return timing.ms / timing.englishMs
    this.stop()
    return timing === 'late' ? Infinity : Number.NaN
  }

  stop(): void {
    this.child?.removeAllListeners()
    this.child?.kill('SIGKILL')
    this.child = undefined
  }

  private start(): ChildProcess {
    return fork(CHILD, [], { execArgv: ['-C', 'source'] })
  }
}

const CHILD = fileURLToPath(new URL('./time-text.ts', import.meta.url))
