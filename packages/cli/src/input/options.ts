import { SCHEME_NAMES, suggestScheme } from '@packs/codec/internal'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { usageError } from '../cli-error.ts'

export function createSchemeOption(description: string): Option {
  return new Option('--scheme <name>', description).choices(SCHEME_NAMES).argParser((text) => {
    if (SCHEME_NAMES.some((scheme) => scheme === text)) return text
    throw new InvalidArgumentError(suggestScheme(text))
  })
}

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('Give a whole number from 1 to 999,999,999.')
  return Number(text)
}

export function parseGrowth(text: string): number {
  const percent = /^\d{1,4}(\.\d{1,4})?%?$/.test(text) ? Number.parseFloat(text) : Number.NaN
  if (!(percent <= 1000)) throw new InvalidArgumentError('Give a percentage from 0 to 1000, such as 5%.')
  return percent
}

/** Values of the options that several commands have, in the order of their help. */
export const CHOICES = {
  tokenizer: ['o200k_base', 'cl100k_base'],
  difficulty: ['beginner', 'intermediate', 'advanced', 'expert'],
} as const

/** Options of every command that uses a configuration. */
export interface ConfigOptions {
  /** Value of `--config`; `none` for no configuration. */
  readonly config?: string
}

/** Options of every command that finds sources. */
export interface SourceOptions extends ConfigOptions {
  /** Further extensions to take, of `--ext`. */
  readonly ext?: readonly string[]
  /** Path that stdin is taken for, of `--stdin-name`. */
  readonly stdinName?: string
  /** Takes pages that readers of the site do not see, of `--drafts`. */
  readonly drafts?: boolean
  /** Time by which dates of pages are judged, of `--now`. */
  readonly now?: Date
}

/** A file extension with or without its dot, such as `.txt`. */
export const EXTENSION_PATTERN: RegExp = /^\.?[\w-]+(?:\.[\w-]+)*$/

export function addSourceOptions(command: Command): Command {
  return addConfigOptions(
    command
      .option('--ext <list>', 'extensions besides .md, .markdown and .mdx: ".txt,.rst"', parseExtensions)
      .option('--drafts', 'also take drafts, unlisted pages, and names that begin with _')
      .option('--now <time>', 'judge dates of pages by this time, not by that of the commit', parseTime),
  )
}

export function addConfigOptions(command: Command): Command {
  return command.option(
    '--config <file>',
    'configuration to use instead of the one found; "none" for no configuration',
  )
}

/** Without a zone, a time is one of UTC. */
function parseTime(text: string): Date {
  const [, time, zone = 'Z'] = TIME.exec(text) ?? []
  const date = new Date(time === undefined ? text : `${text.slice(0, 10)}T${time}${zone}`)
  if (TIME.test(text) && !Number.isNaN(date.getTime())) return date
  throw new InvalidArgumentError('Give a date or a time, such as 2026-05-01 or 2026-05-01T12:00:00Z.')
}

const TIME = /^\d{4}-\d\d-\d\d(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/

function parseExtensions(text: string, before: readonly string[] = []): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (!names.every((name) => EXTENSION_PATTERN.test(name))) {
    throw new InvalidArgumentError('Give extensions with commas between them, such as .txt,.rst.')
  }
  return [...before, ...names]
}

/** Sentence about the limit for the help of commands that build. */
export const BUILD_SECONDS_HELP = 'A build of one source is ended after PACK_BUILD_SECONDS, 600 if unset.'

const DEFAULT_SECONDS = 600
const MAX_SECONDS = 86_400

export function readBuildSeconds(): number {
  const text = process.env['PACK_BUILD_SECONDS'] || undefined
  if (text === undefined) return DEFAULT_SECONDS
  const seconds = /^\d{1,5}(?:\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds
  throw usageError(
    `PACK_BUILD_SECONDS is not a number of seconds: ${JSON.stringify(text.slice(0, 40))}`,
    'set it to a number above 0 and at most 86400, with at most three decimals, or unset it for 600',
  )
}

/** @throws CliError `usage` for a query that cannot be searched */
export async function checkQuery(query: string): Promise<void> {
  const { findQuestionFault } = await import('@packs/client/internal')
  const [fault, advice] = findQuestionFault(query) ?? []
  if (fault !== undefined) throw usageError(`the query ${fault}`, advice!)
}
