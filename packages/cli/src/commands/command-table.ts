import type { ServerCommandName } from '@packs/server'
import { type CommandModule, loadServerCommand } from '../server/load-server.ts'

/** A line of `pack --help`, and the file of the command. */
interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** What it is for: the heading above it in `pack --help`. */
  readonly task: string
  readonly load: () => Promise<CommandModule>
}

/** Every command, in the order of `pack --help`. */
export const commandTable: readonly CommandEntry[] = [
  ...group('Build packs', [
    command('init', 'write a first source file', () => import('./init.ts')),
    command('build', 'build packs from markdown', () => import('./build.ts')),
    command('check', 'check packs: schema, digests, counts, round trip', () => import('./check.ts')),
    command('diff', 'compare packs, folders, versions or git revisions', () => import('./diff.ts')),
    command('inspect', 'show what each entry of a pack saves', () => import('./inspect.ts')),
    command('decode', 'print the source text of a pack, byte for byte', () => import('./decode.ts')),
    command('preview', 'print the preview that the Free tier gets', () => import('./preview.ts')),
  ]),
  ...group('Give texts to a model', [
    command('search', 'find the sections that answer a question', () => import('./search.ts')),
    command('context', 'print the passages that answer a question', () => import('./context.ts')),
    command('prompt', 'print a prompt of packs or markdown', () => import('./prompt.ts')),
    command('links', 'put addresses into an answer that has numbers', () => import('./links.ts')),
    command('mcp', 'serve packs to MCP hosts over stdio', () => import('./mcp.ts')),
    command('export', 'write packs as Agent Skills', () => import('./export.ts')),
    command('eval', 'compare answers from packs and from sources (@packs/eval)', async () =>
      (await import('../eval/load-eval.ts')).loadEvalCommand(),
    ),
  ]),
  ...group('Use packs of a catalog', [
    command('add', 'pin packs of a catalog in packs.lock', () => import('./pins/add.ts')),
    command('install', 'restore the packs of packs.lock', () => import('./pins/install.ts')),
    command('update', 'pin the newest versions in their ranges', () => import('./pins/update.ts')),
    command('remove', 'remove packs from packs.lock', () => import('./pins/remove.ts')),
    command('signers', 'make and list keys that sign packs', () => import('./signers.ts')),
  ]),
  ...group('Run a catalog, with @packs/server', [
    command('publish', 'publish sources as versions in a catalog', () => import('../publish/publish.ts')),
    serverCommand('serve', 'serve the API and the pages'),
    serverCommand('worker', 'publish queued sources'),
    serverCommand('jobs', 'list publish jobs and their results'),
    serverCommand('yank', 'hide a published version, or restore it'),
    serverCommand('purge', 'erase a published version for good, or old ones'),
    serverCommand('verify', 'verify a published version, or all'),
    serverCommand('index', 'index packs for search, or check the index'),
    serverCommand('accounts', 'create and change accounts'),
    serverCommand('keys', 'create, rotate and revoke keys of accounts'),
    serverCommand('tokens', 'create and revoke tokens that publish over HTTP'),
    serverCommand('audit', 'show who changed what'),
    serverCommand('mode', 'show or switch the operating mode'),
  ]),
]

type Command = Omit<CommandEntry, 'task'>

function group(task: string, commands: readonly Command[]): CommandEntry[] {
  return commands.map((each) => ({ ...each, task }))
}

function command(name: string, summary: string, load: CommandEntry['load']): Command {
  return { name, summary, load }
}

function serverCommand(name: ServerCommandName, summary: string): Command {
  return { name, summary, load: () => loadServerCommand(name) }
}
