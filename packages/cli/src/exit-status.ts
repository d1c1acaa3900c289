/** Exit statuses of `pack`. */
export const exitStatus = {
  done: 0,
  findings: 1,
  usage: 2,
  internal: 3,
  refused: 4,
  unavailable: 5,
  interrupted: 130,
} as const

/** One of the values of {@link exitStatus}. */
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus]

const added = new Map<string, ExitStatus>()

/** Adds the exit statuses of the error codes of a package that is loaded on demand. */
export function addStatuses(exitOfCode: Readonly<Record<string, keyof typeof exitStatus>>): void {
  for (const [code, exit] of Object.entries(exitOfCode)) added.set(code, exitStatus[exit])
}

/** Returns the exit status of an error code of another package. */
export function findStatus(code: string): ExitStatus {
  return added.get(code) ?? exitStatus.findings
}
