import { writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { formatPath, makeFolder } from '@packs/files'
import type { Command } from 'commander'
import { fileError } from '../cli-error.ts'
import { quotePath, writeJson, writeResult } from '../output/terminal.ts'
import { outputError } from '../output/write-file.ts'

const NAME = 'first-pack.md'

const SOURCE = `---
slug: first-pack
title: My first pack
domain: Guides
subdomain: First steps
difficulty: beginner # beginner, intermediate, advanced or expert
compression: minify-1 # or dense-2, max-2, none
# version: "1.0.0" # quoted; without it a build writes 0.0.0
# budget: 8000 # maximum tokens, header included
# glossary:
#   - {expansion: merchant settlement account code, term: MSAC}
#   - {expansion: a phrase to leave alone, never: true}
---

# My first pack

Write here what a language model should know, in plain markdown. A pack saves tokens on repeated phrases, so a longer text
on one subject saves more than a short note.

<!-- pack:verbatim -->
The text between these two comments is never changed.
<!-- /pack -->
`

const CONFIG_NAME = 'packs.config.json'

const CONFIG = {
  $schema: './node_modules/@packs/cli/packs.schema.json',
  sources: ['.'],
  out: 'dist',
  domain: 'General',
  ignore: ['drafts'],
}

const HELP = `
Existing files are never overwritten.

Examples:
  $ pack init            write ${NAME} here
  $ pack init --config   write ${CONFIG_NAME} here`

export function configure(command: Command): void {
  command
    .argument('[dir]', 'folder for the file, created if missing', '.')
    .option('--config', 'write a configuration instead of a source')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const folder = resolve(String(command.processedArgs[0]))
  const options = command.opts<{ config?: boolean; json?: boolean }>()
  const path = join(folder, options.config ? CONFIG_NAME : NAME)
  const shown = formatPath(path, process.cwd())
  try {
    makeFolder(folder)
    writeFileSync(path, options.config ? `${JSON.stringify(CONFIG, null, 2)}\n` : SOURCE, { flag: 'wx' })
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST' || syscall !== 'open') throw outputError(shown, error as NodeJS.ErrnoException)
    const hint = `run \`${formatBuildCommand(shown)}\`, or name another folder`
    throw fileError('file_exists', shown, 'already exists', hint)
  }
  const next = formatBuildCommand(shown)
  if (options.json) writeJson({ ok: true, file: shown, next })
  else writeResult(`wrote ${shown}\nnext: ${next}\n`)
}

/** A configuration in the working folder needs no option. */
function formatBuildCommand(file: string): string {
  if (file === CONFIG_NAME) return 'pack build'
  const command = basename(file) === CONFIG_NAME ? 'pack build --config' : 'pack build'
  return `${command} ${quotePath(file)}`
}
