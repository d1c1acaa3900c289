import type { Command } from 'commander'
import type { ExitStatus } from '../exit-status.ts'

/** What a command's file exports: how its arguments look, and what it does with them. */
export interface CommandModule {
  /** Declares arguments, options and help, or commands below it that do; `--json` is added for every command. */
  readonly configure: (command: Command) => void
  /** Gets the command that was asked for, of several below it. Does the work; throws a CliError or a CodecError where it cannot. */
  readonly run: (command: Command) => Promise<ExitStatus>
}

/** A line of `pack --help`, and where the rest of the command is found. */
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
    summary: 'prove packs: schema, digests, counts, round trip',
    load: () => import('./check.ts'),
  },
  { name: 'inspect', summary: 'show what each entry of a pack brings', load: () => import('./inspect.ts') },
  {
    name: 'preview',
    summary: 'print what a caller of the Free tier gets',
    load: () => import('./preview.ts'),
  },
  { name: 'prompt', summary: 'print the system prompt block of packs', load: () => import('./prompt.ts') },
  {
    name: 'publish',
    summary: 'publish sources as versions in the catalog',
    load: () => import('./publish.ts'),
  },
  { name: 'jobs', summary: 'list publishes and how they went', load: () => import('./jobs.ts') },
  { name: 'yank', summary: 'hide a published version, or show it again', load: () => import('./yank.ts') },
  { name: 'verify', summary: 'prove a published version', load: () => import('./verify.ts') },
  { name: 'worker', summary: 'publish what is queued', load: () => import('./operator/worker.ts') },
  { name: 'serve', summary: 'serve the API', load: () => import('./operator/serve.ts') },
  { name: 'accounts', summary: 'create and change accounts', load: () => import('./operator/accounts.ts') },
  {
    name: 'keys',
    summary: 'create, rotate and revoke keys of accounts',
    load: () => import('./operator/keys.ts'),
  },
  { name: 'mode', summary: 'show or switch the operating mode', load: () => import('./operator/mode.ts') },
]
