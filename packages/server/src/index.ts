export { commands, type ServerCommandName } from './commands/command-table.ts'
export { exitOfCode, type Exit } from './command-error.ts'
export type * from './host.ts'
export { openVersion } from './services/open-services.ts'
export {
  type SkippedInput,
  type SourceInput,
  type SourceOutcome,
  type PublishOptions,
  publishSources,
} from './publish/publish-sources.ts'
export { checkSigner } from './services/read-keys.ts'
