import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Names this process as the owner of a job: machine, id, and where the system tells it when it began, as ids are used again. */
export function nameOwner(): string {
  return `${hostname()} ${process.pid} ${readStat(process.pid)?.start ?? UNKNOWN}`
}

/** Tells whether the process that {@link nameOwner} named still runs; `undefined` where it is none of this machine. */
export function isOwnerRunning(owner: string): boolean | undefined {
  const [host, pid = '', start] = owner.split(' ')
  if (host !== hostname() || !/^\d+$/.test(pid)) return undefined
  if (!isPresent(Number(pid))) return false
  const stat = readStat(Number(pid))
  // Where the system hides it, that there is one of this id has to do.
  if (stat === undefined) return true
  return !ENDED.has(stat.state) && (start === UNKNOWN || start === stat.start)
}

const UNKNOWN = '-'
/** Killed, and not yet asked for its status by the one that started it. */
const ENDED: ReadonlySet<string> = new Set(['Z', 'X'])

function isPresent(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** State of a process, and ticks from the start of the machine to its own: proc_pid_stat(5), fields 3 and 22. */
function readStat(pid: number): { readonly state: string; readonly start: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const start = fields[18]
    return state === undefined || start === undefined ? undefined : { state, start }
  } catch {
    return undefined
  }
}
