import { sql } from 'kysely'
import type { Queries } from '../database/schema.ts'

const MOST_ATTEMPTS = 10

export interface ClaimAttempt {
  readonly email: string
  readonly hash: string
  readonly now: Date
  /** Whether a claim that matches is taken off its account. */
  readonly isTaken: boolean
}

/**
 * Gives the id of the account whose claim this is. Ten attempts an hour are looked at, so that guessing leads nowhere, and
 * whoever guesses keeps the owner out no longer than that; with the right one the count begins anew.
 */
export function matchClaim(
  queries: Queries,
  { email, hash, now, isTaken }: ClaimAttempt,
): Promise<string | undefined> {
  const hour = now.toISOString().slice(0, 13)
  return queries.transaction().execute(async (transaction) => {
    const claimed = await transaction
      .updateTable('accounts')
      .set({
        claim_hour: hour,
        claim_attempts: sql`case when claim_hour = ${hour} then claim_attempts + 1 else 1 end`,
      })
      .where('email', '=', email)
      .where('claim_expires_at', '>', now.toISOString())
      .where((where) =>
        where.or([
          where('claim_hour', 'is', null),
          where('claim_hour', '<>', hour),
          where('claim_attempts', '<', MOST_ATTEMPTS),
        ]),
      )
      .returning(['id', 'claim_hash'])
      .executeTakeFirst()
    if (claimed?.claim_hash !== hash) return undefined
    await transaction
      .updateTable('accounts')
      .set({ claim_hour: null, claim_attempts: 0 })
      .$if(isTaken, (update) => update.set({ claim_hash: null, claim_expires_at: null }))
      .where('id', '=', claimed.id)
      .execute()
    return claimed.id
  })
}
