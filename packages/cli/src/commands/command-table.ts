import type { ServerCommandName } from '@packs/server'
import { type CommandModule, loadServerCommand } from '../server/load-server.ts'

/** A line of `pack --help`, and the file of the command. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** The package that has the command, if it is not this one. */
  readonly from?: '@packs/server'
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
  { name: 'diff', summary: 'compare two packs, versions or git revisions', load: () => import('./diff.ts') },
  {
    name: 'lint',
    summary: 'show what a writer can do for readers and for tokens',
    load: () => import('./lint.ts'),
  },
  {
    name: 'search',
    summary: 'find the sections of packs that answer a question',
    load: () => import('./search.ts'),
  },
  { name: 'inspect', summary: 'show what each entry of a pack saves', load: () => import('./inspect.ts') },
  {
    name: 'preview',
    summary: 'print the preview that the Free tier gets',
    load: () => import('./preview.ts'),
  },
  { name: 'prompt', summary: 'print the system prompt block of packs', load: () => import('./prompt.ts') },
  {
    name: 'add',
    summary: 'pin packs of a catalog in packs.lock',
    load: () => import('./pins/add.ts'),
  },
  {
    name: 'install',
    summary: 'restore the packs of packs.lock',
    load: () => import('./pins/install.ts'),
  },
  {
    name: 'update',
    summary: 'pin the newest versions in their ranges',
    load: () => import('./pins/update.ts'),
  },
  {
    name: 'outdated',
    summary: 'list pinned packs that have newer versions',
    load: () => import('./pins/outdated.ts'),
  },
  { name: 'remove', summary: 'remove packs from packs.lock', load: () => import('./pins/remove.ts') },
  {
    name: 'signers',
    summary: 'make and list keys that sign packs',
    load: () => import('./signers.ts'),
  },
  { name: 'export', summary: 'write packs as Agent Skills', load: () => import('./export.ts') },
  { name: 'mcp', summary: 'serve packs to MCP hosts over stdio', load: () => import('./mcp.ts') },
  serverCommand('publish', 'publish sources as versions in the catalog'),
  serverCommand('jobs', 'list publish jobs and their results'),
  serverCommand('yank', 'hide a published version, or restore it'),
  serverCommand('verify', 'verify a published version, or all'),
  serverCommand('index', 'index packs for search, or check the index'),
  serverCommand('worker', 'publish queued sources'),
  serverCommand('serve', 'serve the API and the pages'),
  serverCommand('accounts', 'create and change accounts'),
  serverCommand('keys', 'create, rotate and revoke keys of accounts'),
  serverCommand('audit', 'show who changed what'),
  serverCommand('mode', 'show or switch the operating mode'),
]

function serverCommand(name: ServerCommandName, summary: string): CommandEntry {
  return { name, summary, from: '@packs/server', load: () => loadServerCommand(name) }
}
