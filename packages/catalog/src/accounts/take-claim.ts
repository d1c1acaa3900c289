import { sql } from 'kysely'
import type { Queries } from '../database/schema.ts'

const MOST_ATTEMPTS = 10

/**
 * Takes the claim off an account if this is it, and gives the account's id. Ten attempts an hour are looked at, so that
 * guessing leads nowhere, and whoever guesses keeps the owner out no longer than that.
 */
export function takeClaim(
  queries: Queries,
  email: string,
  claimHash: string,
  now: Date,
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
    if (claimed?.claim_hash !== claimHash) return undefined
    await transaction
      .updateTable('accounts')
      .set({ claim_hash: null, claim_expires_at: null, claim_hour: null, claim_attempts: 0 })
      .where('id', '=', claimed.id)
      .execute()
    return claimed.id
  })
}
