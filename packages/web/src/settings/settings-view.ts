import type { Account, KeyRow, QuotaState } from '@packs/catalog'
import type { SessionLine } from '../accounts/create-sign-in.ts'

/** What the page of who is signed in shows. */
export interface SettingsView {
  readonly account: Account
  readonly usage: QuotaState
  readonly keys: readonly KeyRow[]
  readonly sessions: readonly SessionLine[]
  readonly now: Date
  /** Whether keys can be made and replaced; not in recovery mode. */
  readonly canMakeKeys: boolean
  /** Names this page's forms, so that one that is sent again makes nothing. */
  readonly formToken: string
  readonly notice: string | undefined
  readonly refusal: string | undefined
  /** The text of a key that was just made: this page alone shows it. */
  readonly newKey: string | undefined
}
