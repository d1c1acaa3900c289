import { constants } from 'node:os'
import { Command, CommanderError } from 'commander'
import { exitStatus, type ExitStatus, usageError } from './cli-error.ts'
import { commandTable } from './commands/command-table.ts'
import { reportError } from './output/report-error.ts'
import { outputError } from './output/write-file.ts'
import { escapeControls, readColumns, wrapText, writeNote, writeResult } from './output/terminal.ts'
import { readVersion } from './package-files.ts'
import { findPackage, SERVER_NAME } from './server/load-server.ts'

const NOTES = `
Every command accepts --json. "pack help COMMAND" has its options and examples. Exit status: 0 done, 1 findings, 2 wrong usage, 3 internal error, 4 refused, 5 unavailable, 130 interrupted.`

/** Runs `pack` as the program of this process, with its arguments (without the program name). */
export async function startProgram(args: readonly string[]): Promise<void> {
  handleSignals()
  process.on('uncaughtException', (error) => process.exit(reportError(error, wantsJson(args))))
  process.exitCode = await runProgram(args)
}

/**
 * Exits silently on signals (with 128 + their number) and when the reader of stdout has closed it.
 *
 * Files are written in one synchronous step, so there is never a temporary file to remove here.
 */
function handleSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    const isClosed = error.code === 'EPIPE'
    process.exit(isClosed ? exitStatus.interrupted : reportError(outputError('stdout', error), false))
  })
  process.stderr.on('error', () => undefined)
}

/** Runs `pack` with its arguments and returns the exit status. Never throws. */
export async function runProgram(args: readonly string[]): Promise<ExitStatus> {
  if (args.length === 0) return showFirstCommands()
  const outcome: Outcome = { status: exitStatus.done }
  const program = createProgram(outcome)
  try {
    await program.parseAsync(rewriteHelp(args), { from: 'user' })
    return outcome.status
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error, wantsJson(args))
    return reportParseError(error, args, program)
  }
}

/** Commands that `pack` alone prints. */
const FIRST = ['init', 'build', 'check', 'search', 'prompt', 'publish']

function showFirstCommands(): ExitStatus {
  const first = commandTable.filter(({ name }) => FIRST.includes(name))
  const rows = first.map(({ name, summary }) => `  ${name.padEnd(9)}${summary}`)
  const text = ['Usage: pack <command> [options]', '', ...rows, '', 'All commands: pack --help\n'].join('\n')
  writeResult(wrapHelp(text, readHelpColumns()))
  return exitStatus.usage
}

interface Outcome {
  status: ExitStatus
}

function createProgram(outcome: Outcome): Command {
  const program = new Command('pack')
    .description('Build, check, decode and inspect knowledge packs: markdown compressed for language models.')
    .option('-V, --version', 'print the version, and where @packs/server is')
    .on('option:version', printVersion)
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .usage('<command> [options]')
    .addHelpText('after', NOTES)
    .configureOutput({
      outputError: () => undefined,
      writeOut: (text) => writeResult(wrapHelp(text, readHelpColumns())),
      writeErr: (text) => writeNote(wrapHelp(text.replace(/\n$/, ''), readHelpColumns())),
      getOutHelpWidth: readHelpColumns,
      getErrHelpWidth: readHelpColumns,
    })
    .exitOverride()
    .hook('preSubcommand', (_, command) => loadCommand(command, outcome))
  for (const { name, summary, task } of commandTable)
    program.command(name).description(summary).helpGroup(`${task}:`)
  return program
}

/** Lines longer than this are hard to read. */
const MOST_COLUMNS = 100

function readHelpColumns(): number {
  const columns = readColumns()
  return columns < Infinity ? Math.min(MOST_COLUMNS, columns) : 80
}

/** Wraps the paragraphs of a help text, and what is indented below its first words. */
export function wrapHelp(text: string, columns: number): string {
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const before = lines.at(-1) ?? ''
    if (/^\S/.test(before) && /^\S/.test(line)) lines[lines.length - 1] = `${before} ${line}`
    else lines.push(line)
  }
  return lines.map((line) => wrapHelpLine(line, columns)).join('\n')
}

function wrapHelpLine(line: string, columns: number): string {
  const before = /^ +(?:\S.*? {2,})?/.exec(line)?.[0] ?? ''
  if (!/^ +\$ /.test(line)) {
    if (before.length <= columns / 2) return wrapText(line, columns, ' '.repeat(before.length))
    return `${before.trimEnd()}\n${wrapText(`      ${line.slice(before.length)}`, columns, '      ')}`
  }
  if (line.length <= columns) return line
  const end = /(?<=\S) {2}/.exec(line)?.index ?? line.length
  const [example, note] = [line.slice(0, end), line.slice(end).trim()]
  // A command continues after a backslash, before an option if that is possible.
  const lines = wrapText(example.replaceAll(/ (?=[^ -]\S*(?: |$))/g, '\0'), columns - 2, '      ')
  const command = lines.replaceAll('\n', ' \\\n').replaceAll('\0', ' ')
  return note === '' ? command : `${command}\n${wrapText(`      ${note}`, columns, '      ')}`
}

/** Exits as commander's own option does. */
function printVersion(): never {
  const server = describeServer()
  writeResult(`${[readVersion(), ...(server === '' ? [] : [escapeControls(server)])].join('\n')}\n`)
  throw new CommanderError(0, 'commander.version', '')
}

function describeServer(): string {
  try {
    const server = findPackage(SERVER_NAME)
    if (server === undefined) return ''
    const { version, folder, fault } = server
    return `${SERVER_NAME} ${fault === undefined ? `${version} in ${folder}` : `is not loaded: ${fault}`}`
  } catch (error) {
    return `${SERVER_NAME} cannot be loaded: ${(error as Error).message}`
  }
}

/** Loads only the module of the requested command, to keep start-up fast. */
async function loadCommand(command: Command, outcome: Outcome): Promise<void> {
  const entry = commandTable.find(({ name }) => name === command.name())
  if (!entry) return
  const { configure, run } = await entry.load()
  configure(command)
  for (const subcommand of command.commands.length > 0 ? command.commands : [command]) {
    subcommand.option('--json', 'print one JSON document instead of text')
    subcommand.helpOption('-h, --help', 'print help')
    subcommand.action(async () => {
      outcome.status = (await run(subcommand)) ?? exitStatus.done
    })
  }
}

/** Only `build --help`, not `help build`, loads the command's module. */
function rewriteHelp(args: readonly string[]): readonly string[] {
  const [first, name, subcommand] = args
  if (first === undefined || first.startsWith('-') || isCommand(first)) return args
  // Options are dropped, so that --help does not hide the error about an unknown command.
  if (first !== 'help') return [first]
  if (name === undefined || name.startsWith('-')) return ['--help']
  if (!isCommand(name)) return [name]
  return subcommand === undefined || subcommand.startsWith('-')
    ? [name, '--help']
    : [name, subcommand, '--help']
}

function isCommand(name: string): boolean {
  return commandTable.some((entry) => entry.name === name)
}

function reportParseError(error: CommanderError, args: readonly string[], program: Command): ExitStatus {
  if (error.exitCode === 0) return exitStatus.done
  if (error.code === 'commander.help' && !wantsJson(args)) return exitStatus.usage
  const message = describeParseError(error)
  const [problem = message, suggestion] = message.split('\n')
  const help = `run \`pack ${[...findPath(program, args), '--help'].join(' ')}\``
  const usage = usageError(problem, suggestion?.replace(/^\((.*)\)$/, '$1') ?? help)
  return reportError(usage, wantsJson(args))
}

/** Returns the names of the command and subcommand among the arguments. */
function findPath({ commands }: Command, args: readonly string[]): readonly string[] {
  const at = args.findIndex((arg) => commands.some((command) => command.name() === arg))
  if (at < 0) return []
  const command = commands.find((candidate) => candidate.name() === args[at])!
  return [args[at]!, ...findPath(command, args.slice(at + 1))]
}

function describeParseError({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'no command given'
  // Every command accepts --json, so it is unknown only before a command.
  if (code === 'commander.unknownOption' && message.includes("'--json'"))
    return '--json must come after a command'
  const [, given, name, choices] =
    /^error: command-argument value '(.*)' is invalid for argument '([\w-]+)'\. Allowed choices are ([^']+)\.$/.exec(
      message,
    ) ?? []
  if (choices !== undefined)
    return `the ${name} must be ${choices.replace(/, (?=[^,]*$)/, ' or ')}, not '${given}'`
  return message.replace(/^error: /, '')
}

function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).includes('--json')
}
