import { InvalidArgumentError } from 'commander'

export function parseDailyQuota(text: string): number | 'none' {
  if (text === 'none') return text
  if (/^(?:0|[1-9]\d{0,8})$/.test(text)) return Number(text)
  throw new InvalidArgumentError(
    'Use a whole number from 0 to 999,999,999, or none for the quota of the tier.',
  )
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
const TIME = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** Takes an age such as `90m`, `24h`, `7d` or `2w`, a UTC day, or a time with its zone. */
export function parseSince(text: string, now: Date): Date {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  const time =
    unit === undefined
      ? parseTime(text)
      : new Date(now.getTime() - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS])
  if (time === undefined || Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError(
      'Use an age such as 90m, 24h, 7d or 2w, a day such as 2026-03-01, or a time such as 2026-03-01T08:00:00Z.',
    )
  }
  if (time.getTime() > now.getTime()) throw new InvalidArgumentError('This time is in the future.')
  return time
}

/** Rejects a day that does not exist, which `Date` would roll over into the next month. */
function parseTime(text: string): Date | undefined {
  const day = TIME.exec(text)?.[1]
  if (day === undefined) return undefined
  const start = new Date(`${day}T00:00:00Z`)
  const exists = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day)
  return exists ? new Date(text) : undefined
}
