import type { Account, KeyRow, QuotaState } from '@packs/catalog'
import type { SessionLine } from '../../accounts/create-sign-in.ts'

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
  /** What is wrong with the form that was sent, and the field that it is about. */
  readonly refusal: { readonly field: string | null; readonly text: string } | undefined
  /** The text of a key that was just made: this page alone shows it. */
  readonly newKey: string | undefined
  /** The name that was typed for a key that was refused. */
  readonly keyName: string
}

/** What is wrong with a field; nothing where that is not what was refused. */
export function findRefusal({ refusal }: SettingsView, field: string | null): string | undefined {
  return refusal?.field === field ? refusal.text : undefined
}
