import { userInfo } from 'node:os'
import type { Actor } from '@packs/catalog'

const MAX_NAME_LENGTH = 100

/**
 * Returns who runs this command, for the audit log: `PACK_OPERATOR_NAME`, else the user who called `sudo`, else the user of
 * the process. All three are what the machine says; none is proof.
 */
export function readOperator(): Actor {
  const { PACK_OPERATOR_NAME, SUDO_USER } = process.env
  const name = PACK_OPERATOR_NAME || SUDO_USER || readUserName()
  return { kind: 'operator', id: name?.slice(0, MAX_NAME_LENGTH) ?? null }
}

/** A container may run as a user id that has no name. */
function readUserName(): string | null {
  try {
    return userInfo().username
  } catch {
    const id = process.getuid?.()
    return id === undefined ? null : `uid ${id}`
  }
}
