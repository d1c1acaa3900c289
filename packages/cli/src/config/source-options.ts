import { InvalidArgumentError, type Command } from 'commander'

/** Options of every command that finds sources. */
export interface SourceOptions {
  /** Extensions to take in addition, of `--ext`. */
  readonly ext?: readonly string[]
  /** Value of `--config`; false with `--no-config`. */
  readonly config?: string | false
}

/** A file extension with or without its dot, such as `.txt`. */
export const EXTENSION_PATTERN: RegExp = /^\.?[\w-]+(?:\.[\w-]+)*$/

/** Declares `--ext`, `--config` and `--no-config`. */
export function addSourceOptions(command: Command): Command {
  return command
    .option('--ext <list>', 'extensions to take besides .md, .markdown and .mdx: .txt,.rst', parseExtensions)
    .option('--config <file>', 'use this configuration instead of the one that is found')
    .option('--no-config', 'use no configuration')
}

function parseExtensions(text: string, before: readonly string[] = []): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (!names.every((name) => EXTENSION_PATTERN.test(name))) {
    throw new InvalidArgumentError('Give extensions with commas between them, such as .txt,.rst.')
  }
  return [...before, ...names]
}
