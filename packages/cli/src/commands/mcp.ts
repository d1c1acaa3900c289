import type { Command } from 'commander'
import { openSource, readSourceOptions } from '../mcp/open-source.ts'
import { describeError } from '../output/report-error.ts'
import { escapeControls, writeNote } from '../output/terminal.ts'
import { readVersion } from '../package-files.ts'

const HELP = `
The server has two tools, search_packs and read_pack. It speaks the Model Context Protocol over stdin
and stdout, writes what it has to tell to stderr, and ends when stdin ends. Texts are plain. The packs come from one of these:
  --url     a catalog; the key comes from PACK_KEY. Without inputs and --lock, PACK_URL is the default. The key
            is sent over https, and over http to this machine only, unless PACK_ALLOW_HTTP is 1
  --lock    the versions in a packs.lock, from the cache that "pack install" fills, or else from the catalog of --url or PACK_URL
  inputs    packs, markdown, globs, or folders (every .pack.json and markdown file in them, recursively). Files are read once;
            start the server again after a change. The input packs.lock is --lock packs.lock

Most MCP hosts are configured like this:
  {
    "mcpServers": {
      "packs": {
        "command": "node",
        "args": ["/path/to/node_modules/@packs/cli/bin/pack.js", "mcp", "--url", "https://packs.example.org"],
        "env": { "PACK_KEY": "kp_…" }
      }
    }
  }

Examples:
  $ pack mcp --url https://packs.example.org
  $ pack mcp --lock packs.lock
  $ pack mcp docs/ dist/tls.pack.json`

export function configure(command: Command): void {
  command
    .argument('[inputs...]', 'packs, markdown, globs or folders')
    .option('--url <url>', 'URL of a catalog')
    .option('--lock <file>', 'serve the versions in a packs.lock')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const docs = await openSource(command.args, readSourceOptions(command, command.args))
  const { servePacksOverStdio } = await import('@packs/mcp')
  if (process.stdin.isTTY)
    writeNote('pack mcp waits for an MCP host on stdin; `pack mcp --help` shows how one starts it')
  await servePacksOverStdio(await docs.tools(), {
    version: readVersion(),
    onNotice: (notice) => writeNote(escapeControls(`pack mcp: ${notice}`)),
    onError(error) {
      const { code, message, hint } = describeError(error)
      writeNote(escapeControls(`pack mcp: ${message} (${code}); ${hint}`))
    },
  })
}
