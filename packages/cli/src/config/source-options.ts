import { InvalidArgumentError, type Command } from 'commander'

/** Options of every command that uses a configuration. */
export interface ConfigOptions {
  /** Value of `--config`; false with `--no-config`. */
  readonly config?: string | false
}

/** Options of every command that finds sources. */
export interface SourceOptions extends ConfigOptions {
  /** Extensions to take in addition, of `--ext`. */
  readonly ext?: readonly string[]
  /** Path that stdin is taken for, of `--stdin-name`. */
  readonly stdinName?: string
}

/** A file extension with or without its dot, such as `.txt`. */
export const EXTENSION_PATTERN: RegExp = /^\.?[\w-]+(?:\.[\w-]+)*$/

/** Declares `--ext`, `--stdin-name`, `--config` and `--no-config`. */
export function addSourceOptions(command: Command): Command {
  return addConfigOptions(
    command
      .option(
        '--ext <list>',
        'extensions to take besides .md, .markdown and .mdx: .txt,.rst',
        parseExtensions,
      )
      .option('--stdin-name <path>', 'read stdin as the file of this path, which need not exist'),
  )
}

/** Declares `--config` and `--no-config`. */
export function addConfigOptions(command: Command): Command {
  return command
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
