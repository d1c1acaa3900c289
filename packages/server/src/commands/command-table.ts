import type { ServerCommand } from '../host.ts'

export type ServerCommandName =
  | 'jobs'
  | 'yank'
  | 'purge'
  | 'verify'
  | 'index'
  | 'worker'
  | 'serve'
  | 'accounts'
  | 'keys'
  | 'tokens'
  | 'audit'
  | 'mode'

export const commands: Readonly<Record<ServerCommandName, () => Promise<ServerCommand>>> = {
  jobs: () => import('./jobs.ts'),
  yank: () => import('./yank.ts'),
  purge: () => import('./purge.ts'),
  verify: () => import('./verify.ts'),
  index: () => import('./operator/index-packs.ts'),
  worker: () => import('./operator/worker.ts'),
  serve: () => import('./operator/serve.ts'),
  accounts: () => import('./operator/accounts.ts'),
  keys: () => import('./operator/keys.ts'),
  tokens: () => import('./operator/tokens.ts'),
  audit: () => import('./operator/audit.ts'),
  mode: () => import('./operator/mode.ts'),
}
