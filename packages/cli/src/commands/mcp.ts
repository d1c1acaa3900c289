import type { Command } from 'commander'
import { addInputs, INPUTS_HELP, openInputs } from '../docs/open-inputs.ts'
import { describeError } from '../output/report-error.ts'
import { escapeControls, writeNote } from '../output/terminal.ts'
import { readVersion } from '../package-files.ts'

const HELP = `
The server has two tools, search_packs and read_pack; with --name tls they are search_tls and read_tls, so that a host can have several servers. --about tells models what the documents are about; without it, titles and domains do. It speaks the Model Context Protocol over stdin and stdout, writes what it has to tell to stderr, and ends when stdin ends. Texts are plain. Files are read once; start the server again after a change. The packs come from one of these:${INPUTS_HELP}

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
  $ pack mcp docs/ --name fastify --about "Fastify 5 reference"`

export function configure(command: Command): void {
  addInputs(command)
    .option('--name <name>', 'end of the names of the tools')
    .option('--about <text>', 'what the documents are about')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const { name, about } = command.opts<{ name?: string; about?: string }>()
  const docs = await openInputs(command, command.args)
  const tools = await docs.tools({ name, about })
  const { servePacksOverStdio } = await import('@packs/mcp')
  if (process.stdin.isTTY)
    writeNote('pack mcp waits for an MCP host on stdin; `pack mcp --help` shows how one starts it')
  await servePacksOverStdio(tools, {
    version: readVersion(),
    onNotice: (notice) => writeNote(escapeControls(`pack mcp: ${notice}`)),
    onError(error) {
      const { code, message, hint } = describeError(error)
      writeNote(escapeControls(`pack mcp: ${message} (${code}); ${hint}`))
    },
  })
}
