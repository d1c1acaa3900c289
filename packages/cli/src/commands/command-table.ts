import type { ServerCommandName } from '@packs/server'
import { type CommandModule, loadServerCommand } from '../server/load-server.ts'

/** A line of `pack --help`, and the file of the command. */
interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** The package that has the command, if it is not this one. */
  readonly from?: '@packs/server' | '@packs/eval'
  readonly load: () => Promise<CommandModule>
}

/** Every command, in the order of `pack --help`. */
export const commandTable: readonly CommandEntry[] = [
  command('init', 'write a first source file', () => import('./init.ts')),
  command('build', 'build packs from markdown', () => import('./build.ts')),
  command('decode', 'print the source text of a pack, byte for byte', () => import('./decode.ts')),
  command('check', 'check packs: schema, digests, counts, round trip', () => import('./check.ts')),
  command('diff', 'compare packs, folders, versions or git revisions', () => import('./diff.ts')),
  command('search', 'find the sections that answer a question', () => import('./search.ts')),
  command('context', 'print the passages that answer a question', () => import('./context.ts')),
  command('inspect', 'show what each entry of a pack saves', () => import('./inspect.ts')),
  command('preview', 'print the preview that the Free tier gets', () => import('./preview.ts')),
  command('prompt', 'print a prompt of packs or markdown', () => import('./prompt.ts')),
  command('links', 'put addresses into an answer that has numbers', () => import('./links.ts')),
  command('add', 'pin packs of a catalog in packs.lock', () => import('./pins/add.ts')),
  command('install', 'restore the packs of packs.lock', () => import('./pins/install.ts')),
  command('update', 'pin the newest versions in their ranges', () => import('./pins/update.ts')),
  command('remove', 'remove packs from packs.lock', () => import('./pins/remove.ts')),
  command('signers', 'make and list keys that sign packs', () => import('./signers.ts')),
  command('export', 'write packs as Agent Skills', () => import('./export.ts')),
  command('mcp', 'serve packs to MCP hosts over stdio', () => import('./mcp.ts')),
  {
    name: 'eval',
    summary: 'show whether a model reads packs as well as sources',
    from: '@packs/eval',
    load: async () => (await import('../eval/load-eval.ts')).loadEvalCommand(),
  },
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

function command(name: string, summary: string, load: CommandEntry['load']): CommandEntry {
  return { name, summary, load }
}

function serverCommand(name: ServerCommandName, summary: string): CommandEntry {
  return { name, summary, from: '@packs/server', load: () => loadServerCommand(name) }
}
