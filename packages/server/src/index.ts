export { commands, type ServerCommandName } from './commands/command-table.ts'
export { exitOfCode, type Exit } from './command-error.ts'
export type * from './host.ts'
export { openVersion } from './services/open-services.ts'
