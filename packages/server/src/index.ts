export { commands, type ServerCommandName } from './commands/command-table.ts'
export { exitOfCode, type Exit } from './exit-status.ts'
export type * from './host.ts'
export { openVersion } from './services/read-version.ts'
