import type { Command } from 'commander'
import type { ExitStatus } from '../exit-status.ts'

/** The exports of a command's file. */
export interface CommandModule {
  /** Declares arguments, options, help and subcommands. Every command also gets `--json`. */
  readonly configure: (command: Command) => void
  /** Runs the command, or the subcommand that was called. @throws CliError, CodecError and other errors with a hint */
  readonly run: (command: Command) => Promise<ExitStatus>
}

/** A line of `pack --help`, and the file of the command. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<CommandModule>
}

/** Every command, in the order of `pack --help`. */
export const commandTable: readonly CommandEntry[] = [
  { name: 'init', summary: 'write a first source file', load: () => import('./init.ts') },
  { name: 'build', summary: 'build packs from markdown', load: () => import('./build.ts') },
  {
    name: 'decode',
    summary: 'print the source text of a pack, byte for byte',
    load: () => import('./decode.ts'),
  },
  {
    name: 'check',
    summary: 'check packs: schema, digests, counts, round trip',
    load: () => import('./check.ts'),
  },
  { name: 'inspect', summary: 'show what each entry of a pack saves', load: () => import('./inspect.ts') },
  {
    name: 'preview',
    summary: 'print the preview that the Free tier gets',
    load: () => import('./preview.ts'),
  },
  { name: 'prompt', summary: 'print the system prompt block of packs', load: () => import('./prompt.ts') },
  {
    name: 'publish',
    summary: 'publish sources as versions in the catalog',
    load: () => import('./publish.ts'),
  },
  { name: 'jobs', summary: 'list publish jobs and their results', load: () => import('./jobs.ts') },
  { name: 'yank', summary: 'hide a published version, or restore it', load: () => import('./yank.ts') },
  { name: 'verify', summary: 'verify a published version, or all', load: () => import('./verify.ts') },
  { name: 'worker', summary: 'publish queued sources', load: () => import('./operator/worker.ts') },
  { name: 'serve', summary: 'serve the API and the pages', load: () => import('./operator/serve.ts') },
  { name: 'accounts', summary: 'create and change accounts', load: () => import('./operator/accounts.ts') },
  {
    name: 'keys',
    summary: 'create, rotate and revoke keys of accounts',
    load: () => import('./operator/keys.ts'),
  },
  { name: 'audit', summary: 'show who changed what', load: () => import('./operator/audit.ts') },
  { name: 'mode', summary: 'show or switch the operating mode', load: () => import('./operator/mode.ts') },
]
