import type { Account, KeyRow, QuotaState } from '@packs/catalog'
import type { SessionLine } from '../accounts/create-sign-in.ts'

/** What the page of who is signed in shows. */
export interface SettingsView {
  readonly account: Account
  readonly usage: QuotaState
  readonly keys: readonly KeyRow[]
  readonly sessions: readonly SessionLine[]
  readonly now: Date
  readonly notice: string | undefined
  readonly refusal: string | undefined
  /** The text of a key that was just made: this page alone shows it. */
  readonly newKey: string | undefined
}
