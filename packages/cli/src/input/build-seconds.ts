import { CliError } from '../cli-error.ts'

/** Sentence about the limit for the help of commands that build. */
export const BUILD_SECONDS_HELP = 'A build of one source is ended after PACK_BUILD_SECONDS, 600 if unset.'

const DEFAULT_SECONDS = 600
const MAX_SECONDS = 86_400

/** Reads the longest build of one source from `PACK_BUILD_SECONDS`, in seconds. @throws CliError `usage` */
export function readBuildSeconds(): number {
  const text = process.env['PACK_BUILD_SECONDS'] || undefined
  if (text === undefined) return DEFAULT_SECONDS
  const seconds = /^\d{1,5}(?:\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds
  throw new CliError(
    'usage',
    `PACK_BUILD_SECONDS is not a number of seconds: ${JSON.stringify(text.slice(0, 40))}`,
    'set it to a number above 0 and at most 86400, with at most three decimals, or unset it for 600',
  )
}
