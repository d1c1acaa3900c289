import type { Account, KeyRow } from '../types.ts'
import type { KeyStore } from './create-key-store.ts'
import { hashKey, isKeyText } from './issue-key.ts'

const HOUR_MS = 60 * 60 * 1000
const MAX_RECORDED = 10_000

interface KeyPorts {
  readonly keys: KeyStore
}

/** A valid key and its account. */
export interface VerifiedKey {
  readonly account: Account
  readonly key: KeyRow
}

/**
 * Finds a key and its account; `undefined` if the text is malformed, the key is unknown, revoked or
 * expired, or its account is disabled.
 *
 * A wrong checksum needs no look-up. The time of the last use is stored about once an hour, in the
 * background.
 */
export async function verifyKey(
  catalog: KeyPorts,
  text: string,
  now: Date,
): Promise<VerifiedKey | undefined> {
  if (!isKeyText(text)) return undefined
  const found = await catalog.keys.findBySha256(hashKey(text))
  if (found === undefined) return undefined
  const { account, ...key } = found
  const isLive = key.expires_at === null || Date.parse(key.expires_at) > now.getTime()
  if (account.disabled || key.revoked_at !== null || !isLive) return undefined
  recordUse(catalog, key, now)
  return { account, key }
}

/**
 * When a write of each key's last use was last attempted, so that parallel requests or a failing
 * disk cause only one.
 */
const recordedUses = new WeakMap<KeyPorts, Map<string, number>>()

function recordUse(catalog: KeyPorts, { id, last_used_at }: KeyRow, now: Date): void {
  const time = now.getTime()
  if (last_used_at !== null && time - Date.parse(last_used_at) < HOUR_MS) return
  const times = recordedUses.get(catalog) ?? new Map<string, number>()
  recordedUses.set(catalog, times)
  if (time - (times.get(id) ?? -Infinity) < HOUR_MS) return
  if (times.size >= MAX_RECORDED) times.clear()
  times.set(id, time)
  catalog.keys.recordUse(id, now.toISOString()).catch(() => {})
}
