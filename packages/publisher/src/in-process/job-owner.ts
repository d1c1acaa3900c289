import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Names this process as the owner of a job: machine, id, and where the system tells it when it began, as ids are used again. */
export function nameOwner(): string {
  return `${hostname()} ${process.pid} ${readStart(process.pid)}`
}

/** Tells whether the process that {@link nameOwner} named still runs; `undefined` where it is none of this machine. */
export function isOwnerRunning(owner: string): boolean | undefined {
  const [host, pid = '', start] = owner.split(' ')
  if (host !== hostname() || !/^\d+$/.test(pid)) return undefined
  return isRunning(Number(pid)) && readStart(Number(pid)) === start
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Ticks from the start of the machine to that of the process (proc_pid_stat(5), field 22); `-` where there is no `/proc`. */
function readStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '-'
  } catch {
    return '-'
  }
}
