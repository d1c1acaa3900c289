import { Child } from 'bullmq'

const init = Reflect.get(Child.prototype, 'init')

/**
 * Lets a job fail whose process ends while it starts, so that it is tried again; it would be under way for ever, its lock renewed.
 *
 * BullMQ 6.7 waits for the end of such a process by its event `close`, but takes all listeners away at `exit`, which comes first.
 */
export function noticeEarlyExits(): void {
  Child.prototype.init = async function (this: Child) {
    const { promise: ended, reject } = Promise.withResolvers<never>()
    this.once('exit', (code, signal) =>
      reject(new Error(`The process ended while it started: ${signal ?? code}`)),
    )
    this.on('error', reject)
    // Nobody waits for it any more once the process has started.
    ended.catch(() => undefined)
    await Promise.race([init.call(this), ended])
  }
}
