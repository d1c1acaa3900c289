const NUMBER = new Intl.NumberFormat('en-US')

/** Formats 12345 as `12,345`. */
export function formatNumber(value: number): string {
  return NUMBER.format(value)
}

/** Formats 12.3 as `12.30 %`, like the command line but with a true minus sign. */
export function formatPercent(value: number): string {
  return `${value.toFixed(2).replace('-', '−')} %`
}

/** Formats a count with its noun: `1 pack`, `2 packs`. */
export function formatCount(value: number, one: string): string {
  return `${formatNumber(value)} ${value === 1 ? one : `${one}s`}`
}

/** Formats a time as its UTC day: `2026-03-01`. */
export function formatDay(time: string | Date): string {
  return (typeof time === 'string' ? time : time.toISOString()).slice(0, 10)
}

/** Formats a time to the minute: `2026-03-01 08:15 UTC`. */
export function formatMinute(time: string | Date): string {
  const text = typeof time === 'string' ? time : time.toISOString()
  return `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`
}

/** Formats the time between two dates, rounded up to minutes: `5 h 12 min`. */
export function formatDuration(from: Date, to: Date): string {
  const minutes = Math.max(1, Math.ceil((to.getTime() - from.getTime()) / 60_000))
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${minutes}\u00a0min` : `${hours}\u00a0h\u00a0${minutes % 60}\u00a0min`
}

/** Formats the link to a section of the same page: `#set-up`. */
export function formatFragment(id: string): string {
  return `#${encodeURIComponent(id)}`
}
