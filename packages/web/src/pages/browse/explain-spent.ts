import type { QuotaState } from '@packs/catalog'
import { formatCount, formatWait } from '../../html/format-values.ts'

/** Says to an account why its request was not granted, and when to come again. */
export function explainSpent(
  { limit, resetAt, isFallback }: QuotaState,
  now: Date,
): { readonly reason: string; readonly hint: string } {
  const requests = formatCount(limit, 'request')
  if (isFallback) {
    return {
      reason: `Requests cannot be counted now, and the part of today’s ${requests} that is granted meanwhile is used`,
      hint: 'Try again in a minute.',
    }
  }
  return {
    reason: `Today’s ${requests} of your account are used`,
    hint: `The next day begins in ${formatWait(now, resetAt)}.`,
  }
}
