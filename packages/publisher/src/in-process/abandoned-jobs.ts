import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Catalog, JobRecord, UnfinishedJob } from '@packs/catalog'

/**
 * Milliseconds without a sign of life after which a job counts as abandoned. If that is wrong, as
 * with a wrong clock, its commit is still refused once a later one has taken effect.
 */
const ABANDONED_AFTER_MS = 2 * 60 * 1000

/** Whether the process of an unfinished job has ended. */
export function isAbandoned(
  { owner, updated_at }: Pick<JobRecord, 'owner' | 'updated_at'>,
  now: Date,
): boolean {
  if (owner !== null && isOwnerRunning(owner) === false) return true
  return now.getTime() - Date.parse(updated_at) > ABANDONED_AFTER_MS
}

export const ABANDONED =
  'job_abandoned: The process of the job ended before it was done, and nothing was published: publish again'

/** Ends an abandoned publish, so that later ones of its pack need not wait. */
export async function endAbandoned({ jobs }: Catalog, { id, release }: UnfinishedJob): Promise<void> {
  await jobs.finish(release ?? id, { state: 'failed', error: ABANDONED, result: null })
}

/** Host name, process id and, if known, start time, because ids are reused. */
export function identifyProcess(): string {
  return `${hostname()} ${process.pid} ${readStat(process.pid)?.start ?? UNKNOWN_START}`
}

/** Whether the owner of a job still runs; `undefined` if it is on another machine. */
function isOwnerRunning(owner: string): boolean | undefined {
  const [host, pid = '', start] = owner.split(' ')
  if (host !== hostname() || !/^\d+$/.test(pid)) return undefined
  if (!processExists(Number(pid))) return false
  const stat = readStat(Number(pid))
  // Without /proc, a process with this id is taken for the owner.
  if (stat === undefined) return true
  return !ENDED_STATES.has(stat.state) && (start === UNKNOWN_START || start === stat.start)
}

const UNKNOWN_START = '-'

/** Zombie and dead: ended, but not yet waited for by the parent process. */
const ENDED_STATES: ReadonlySet<string> = new Set(['Z', 'X'])

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** State and start time in clock ticks since boot: proc_pid_stat(5), fields 3 and 22. */
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
