import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Recipe } from './generate-text.ts'
import type { CompressOptions } from '@packs/codec/compress'
import type { TextRequest, TextTiming, WorkName } from './time-text.ts'

/** What is timed of a text. */
export interface Timing {
  readonly name: string
  readonly work: WorkName
  readonly options: CompressOptions
  readonly bytes: number
}

/** A text that takes longer is ended: more than any text of a megabyte should take. */
const LIMIT_MS = 120_000
/** Longer texts are timed once. */
const TIMED_TWICE = 300_000

/** Times texts in a child process, which is ended if a text takes too long. */
export class TextTimer {
  private child: ChildProcess | undefined
  private next = 0
  private readonly english: string

  /** @param english Ordinary text, as long as the longest text to time. */
  constructor(english: string) {
    this.english = english
  }

  /** Returns the time of a text ÷ that of English; Infinity if it was ended, NaN if it failed. */
  async time(recipe: Recipe, { work, options, bytes }: Omit<Timing, 'name'>): Promise<number> {
    const rounds = bytes > TIMED_TWICE ? 1 : 2
    const english = this.english.slice(0, bytes)
    const timing = await this.ask({ id: this.next++, work, recipe, bytes, options, english, rounds })
    if (typeof timing === 'object') return timing.ms / timing.englishMs
    this.stop()
    return timing === 'late' ? Infinity : Number.NaN
  }

  /** Ends the child process. */
  stop(): void {
    this.child?.removeAllListeners()
    this.child?.kill('SIGKILL')
    this.child = undefined
  }

  private async ask(request: TextRequest): Promise<TextTiming | 'late' | 'failed'> {
    const child = (this.child ??= fork(CHILD, [], { execArgv: ['-C', 'source'] }))
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve('late'), LIMIT_MS)
      const settle = (answer: TextTiming | 'failed'): void => {
        clearTimeout(timer)
        child.removeAllListeners()
        resolve(answer)
      }
      child.once('message', (answer: TextTiming) => settle(answer))
      child.once('exit', () => settle('failed'))
      child.send(request)
    })
  }
}

const CHILD = fileURLToPath(new URL('./time-text.ts', import.meta.url))
