/** Exit statuses of `pack`, one meaning each. */
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
