const NUMBER = new Intl.NumberFormat('en-US')

/** 12345 as `12,345`. */
export function formatNumber(value: number): string {
  return NUMBER.format(value)
}

/** 12.3 as `12.30 %`, as the command line does, with a true minus sign. */
export function formatPercent(value: number): string {
  return `${value.toFixed(2).replace('-', '−')} %`
}

/** `1 pack`, `2 packs`. */
export function formatCount(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`
}

/** The day of a time, as `2026-03-01`. */
export function formatDay(time: string | Date): string {
  return (typeof time === 'string' ? time : time.toISOString()).slice(0, 10)
}

/** The minute of a time, as `2026-03-01 08:15 UTC`. */
export function formatMinute(time: string | Date): string {
  const text = typeof time === 'string' ? time : time.toISOString()
  return `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`
}

/** How long it is from one time to another, in hours and minutes: `5 h 12 min`. */
export function formatDuration(from: Date, to: Date): string {
  const minutes = Math.max(1, Math.ceil((to.getTime() - from.getTime()) / 60_000))
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${minutes}\u00a0min` : `${hours}\u00a0h\u00a0${minutes % 60}\u00a0min`
}
