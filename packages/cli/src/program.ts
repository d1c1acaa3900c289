import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { commandTable } from './commands/command-table.ts'
import { CliError } from './cli-error.ts'
import { exitStatus, type ExitStatus } from './exit-status.ts'
import { reportError } from './output/report-error.ts'

const EXAMPLES = `
Examples:
  $ pack init                        write a first source file
  $ pack build notes/                build every markdown file below notes/ into dist/
  $ pack decode dist/tls.pack.json   get the source text back, byte for byte

Exit status: 0 done, 1 findings, 2 wrong usage, 3 internal error, 4 refused, 5 unavailable, 130 interrupted.
Every command takes --json. Run "pack help COMMAND" for its options and examples.`

/** Runs `pack` with its arguments (program name left out) and gives the exit status; never throws. */
export async function runProgram(args: readonly string[]): Promise<ExitStatus> {
  const outcome: Outcome = { status: exitStatus.done }
  try {
    await createProgram(outcome).parseAsync(rewriteHelp(args), { from: 'user' })
    return outcome.status
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error, wantsJson(args))
    return reportParseError(error, args)
  }
}

interface Outcome {
  status: ExitStatus
}

function createProgram(outcome: Outcome): Command {
  const program = new Command('pack')
    .description('Build, check, decode and inspect knowledge packs: markdown compressed for language models.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .usage('<command> [options]')
    .addHelpText('after', EXAMPLES)
    .configureOutput({ outputError: () => undefined })
    .exitOverride()
    .hook('preSubcommand', (_, command) => loadCommand(command, outcome))
  for (const { name, summary } of commandTable) {
    program.command(name).description(summary)
  }
  return program
}

/** Loads the module of the one command that was asked for, so that no other command costs start-up time. */
async function loadCommand(command: Command, outcome: Outcome): Promise<void> {
  const entry = commandTable.find(({ name }) => name === command.name())
  if (!entry) return
  const { configure, run } = await entry.load()
  configure(command)
  for (const part of command.commands.length > 0 ? command.commands : [command]) {
    part.option('--json', 'print one JSON document instead of text')
    part.action(async () => {
      outcome.status = await run(part)
    })
  }
}

/** `help build` is read as `build --help` and `help keys create` as `keys create --help`, as only that loads the command it tells of. */
function rewriteHelp(args: readonly string[]): readonly string[] {
  const [first, name, part] = args
  if (first === undefined || first.startsWith('-') || isCommand(first)) return args
  // Without its options, so that --help does not hide that there is no such command.
  if (first !== 'help') return [first]
  if (name === undefined || name.startsWith('-')) return ['--help']
  if (!isCommand(name)) return [name]
  return part === undefined || part.startsWith('-') ? [name, '--help'] : [name, part, '--help']
}

function isCommand(name: string): boolean {
  return commandTable.some((entry) => entry.name === name)
}

function reportParseError(error: CommanderError, args: readonly string[]): ExitStatus {
  if (error.exitCode === 0) return exitStatus.done
  if (error.code === 'commander.help' && !wantsJson(args)) return exitStatus.usage
  const message = describeParseError(error)
  const [problem = message, suggestion] = message.split('\n')
  const name = args.find((arg) => isCommand(arg))
  const help = `run \`pack ${name === undefined ? '' : `${name} `}--help\``
  const usage = new CliError('usage', problem, suggestion?.replace(/^\((.*)\)$/, '$1') ?? help)
  return reportError(usage, wantsJson(args))
}

function describeParseError({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'no command given'
  // Every command takes it, so what does not know it is none.
  if (code === 'commander.unknownOption' && message.includes("'--json'"))
    return 'no command stands before --json'
  return message.replace(/^error: /, '')
}

/** Is `--json` among the options. */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).includes('--json')
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
