import type { Actor } from '@packs/catalog'

/** Who makes the changes of tests, for the audit log. */
export const actor: Actor = { kind: 'operator', id: 'ada' }
