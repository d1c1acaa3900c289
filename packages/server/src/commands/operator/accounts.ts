import type { AccountChange, Catalog, Tier, Account } from '@packs/catalog'
import { Argument, InvalidArgumentError, Option, type Command } from 'commander'
import { CommandError, type Exit } from '../../command-error.ts'
import type { Host, ServerCommand } from '../../host.ts'
import {
  addDataOption,
  readServiceUrls,
  withCatalog,
  withExistingCatalog,
  readOperator,
  withReadOnlyCatalog,
} from '../../services/open-services.ts'

const HELP = `
An account has keys and a daily quota: 10 requests in the free tier, 1,000 in pro, or its own number. create prints a claim code, once. The owner enters it on the sign-in page under "I have a code" within seven days. After that, an unclaimed account can be created again.

Accounts that people create themselves on the sign-in page are unverified: the email may belong to somebody else. For these, set-tier does not raise the tier but prints a code to send to that email. The tier changes when the owner enters the code on the sign-in page and sets a password, which ends all sessions and revokes all keys. --unverified raises the tier at once, no matter who owns the email. reset ends all access in the same way and prints a code for setting a new password.

Examples:
  $ pack accounts create --email ada@example.org --tier pro
  $ pack accounts delete ada@example.org --yes`

const TIERS: readonly Tier[] = ['free', 'pro']

interface AccountOptions {
  readonly email: string
  readonly tier: Tier
  readonly daily?: number | 'none'
  readonly unverified?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

export function configure(command: Command): void {
  const create = command
    .command('create')
    .description('create an account, and print a claim code for its owner')
    .requiredOption('--email <address>', 'email of the owner')
    .addOption(new Option('--tier <tier>', 'tier of the account').choices(TIERS).default('free'))
  const list = command.command('list').description('list accounts')
  const setTier = addAccount(command, 'set-tier', 'change the tier or the quota of an account')
    .addArgument(new Argument('<tier>', 'tier of the account').choices(TIERS))
    .option('--unverified', 'raise the tier although the email is not verified')
  const others = [
    addAccount(command, 'show', 'show an account'),
    addAccount(command, 'reset', 'end all sessions, revoke all keys, and print a code for a new password'),
    addAccount(command, 'disable', 'refuse sign-ins and keys of an account'),
    addAccount(command, 'enable', 'enable a disabled account again'),
    addAccount(command, 'delete', 'delete an account with its keys').option('--yes', 'confirm: final'),
  ]
  for (const subcommand of [create, setTier]) {
    subcommand.option('--daily <n>', 'requests per day, or none for the quota of the tier', parseDailyQuota)
  }
  for (const subcommand of [create, list, setTier, ...others])
    addDataOption(subcommand).addHelpText('after', HELP)
  command.helpCommand(false).addHelpText('after', HELP)
}

function addAccount(command: Command, name: string, description: string): Command {
  return command.command(name).description(description).argument('<email>', 'email or id of the account')
}

const RUNS: Readonly<Record<string, ServerCommand['run']>> = {
  create: runCreate,
  list: runList,
  show: runShow,
  'set-tier': runSetTier,
  reset: runReset,
  disable: (command, host) => runSetDisabled(command, host, true),
  enable: (command, host) => runSetDisabled(command, host, false),
  delete: runDelete,
}

export function run(command: Command, host: Host): Promise<Exit> {
  return (RUNS[command.name()] ?? runList)(command, host)
}

async function runCreate(command: Command, host: Host): Promise<Exit> {
  const { email, tier, daily, json } = command.opts<AccountOptions>()
  const request = { email, tier, daily: readDaily(daily), actor: readOperator() }
  const { account, claimCode } = await withCatalog(readServiceUrls(command), (catalog) =>
    catalog.accounts.createClaimed(request, new Date()),
  )
  const note = `created ${account.email}, ${await describeQuota(account)}; send its owner this claim code, shown only once:`
  if (json) host.writeJson({ ...describeAccount(account), claim_code: claimCode })
  else {
    host.writeNote(note)
    host.writeResult(`${claimCode}\n`)
  }
  return 'done'
}

async function runSetTier(command: Command, host: Host): Promise<Exit> {
  const { daily, unverified = false } = command.opts<AccountOptions>()
  const [, tier = ''] = command.args
  const quota = { tier: tier as Tier, daily: readDaily(daily) }
  const change = { ...quota, isUnverifiedAccepted: unverified, actor: readOperator() }
  const changed = await withAccount(command, host, (catalog, email) =>
    catalog.accounts.setTier(email, change, new Date()),
  )
  const { account, code } = changed
  const note = `${account.email} is unverified and stays ${account.tier}; its owner gets ${tier} by entering this code, shown only once:`
  if (code !== undefined) return showCode(command, host, changed, note)
  if (command.opts<AccountOptions>().json) host.writeJson(describeAccount(account))
  else host.writeResult(`${account.email}: ${await describeQuota(account)}\n`)
  return 'done'
}

async function runReset(command: Command, host: Host): Promise<Exit> {
  const changed = await withAccount(command, host, (catalog, email) =>
    catalog.accounts.reset(email, { actor: readOperator(), now: new Date() }),
  )
  const { email, disabled } = changed.account
  const state = disabled ? '; the account is disabled, so enable it first' : ''
  const note = `reset ${email}: its sessions, keys and password no longer work${state}; its owner sets a new password with this code, shown only once:`
  return showCode(command, host, changed, note)
}

/** Prints a code for the owner of an account. Only the code goes to stdout. */
function showCode(command: Command, host: Host, { account, code }: AccountChange, note: string): Exit {
  if (command.opts<AccountOptions>().json) {
    host.writeJson({ ...describeAccount(account), code: code?.text, code_expires_at: code?.expiresAt })
    return 'done'
  }
  host.writeNote(note)
  host.writeResult(`${code?.text}\n`)
  const who = 'anyone who enters it under "I have a code" on the sign-in page gets the account'
  host.writeNote(`send it to this email only: ${who}`)
  return 'done'
}

async function runSetDisabled(command: Command, host: Host, isDisabled: boolean): Promise<Exit> {
  const account = await withAccount(command, host, ({ accounts }, email) =>
    accounts.setDisabled(email, isDisabled, { actor: readOperator(), now: new Date() }),
  )
  if (command.opts<AccountOptions>().json) host.writeJson(describeAccount(account))
  else
    host.writeResult(`${host.styleResult('green', isDisabled ? 'disabled' : 'enabled')} ${account.email}\n`)
  return 'done'
}

async function runDelete(command: Command, host: Host): Promise<Exit> {
  const { yes, json } = command.opts<AccountOptions>()
  if (yes !== true) {
    const hint = 'add --yes to confirm, or use `pack accounts disable`, which can be undone'
    throw new CommandError('usage', 'this deletes the account and its keys, and cannot be undone', hint)
  }
  const account = await withAccount(command, host, ({ accounts }, email) =>
    accounts.delete(email, { actor: readOperator(), now: new Date() }),
  )
  const { redisUrl } = readServiceUrls(command)
  if (redisUrl !== undefined) await removeCounts(host, redisUrl, account.id)
  if (json) host.writeJson({ ok: true, id: account.id, email: account.email })
  else host.writeResult(`${host.styleResult('green', 'deleted')} ${account.email} (${account.id})\n`)
  return 'done'
}

async function removeCounts(host: Host, redisUrl: string, id: string): Promise<void> {
  const { removeRedisCounts } = await import('@packs/catalog')
  try {
    const { connectRedis } = await (await import('@packs/publisher')).loadQueue()
    const redis = await connectRedis(redisUrl, 'quota')
    await removeRedisCounts(redis, id, new Date()).finally(() => redis.disconnect())
  } catch {
    host.writeNote('note: Redis does not answer; it keeps what the account read for up to two days')
  }
}

function withAccount<T>(
  command: Command,
  host: Host,
  work: (catalog: Catalog, idOrEmail: string) => Promise<T>,
): Promise<T> {
  const [idOrEmail = ''] = command.args
  return withExistingCatalog(host, readServiceUrls(command), (catalog) => work(catalog, idOrEmail))
}

function readDaily(daily: number | 'none' | undefined): number | null | undefined {
  return daily === 'none' ? null : daily
}

function parseDailyQuota(text: string): number | 'none' {
  if (text === 'none') return text
  if (/^(?:0|[1-9]\d{0,8})$/.test(text)) return Number(text)
  const advice = 'Use a whole number from 0 to 999,999,999, or none for the quota of the tier.'
  throw new InvalidArgumentError(advice)
}

const COLUMNS = ['email', '=state', '=tier', '>daily', '=created', '=id']

export async function runList(command: Command, host: Host): Promise<Exit> {
  const { dailyLimit } = await import('@packs/catalog')
  const accounts = await withReadOnlyCatalog(host, readServiceUrls(command), (catalog) =>
    catalog.accounts.list(),
  )
  if (isJson(command)) {
    host.writeJson({ accounts: accounts.map((account) => describeAccount(account)) })
  } else {
    const rows = accounts.map((account) => [
      account.email,
      describeState(account),
      account.tier,
      dailyLimit(account).toLocaleString('en'),
      account.created_at.slice(0, 10),
      account.id,
    ])
    showTable(host, COLUMNS, rows, 'no accounts; pack accounts create EMAIL')
  }
  return 'done'
}

export function showTable(
  host: Host,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  none: string,
): void {
  if (rows.length === 0) return host.writeNote(none)
  const cells = rows.map((row) => row.map(host.escapeControls))
  host.writeResult(`${host.formatTable(columns, cells).join('\n')}\n`)
}

/** @throws CatalogError `unknown_account` */
export async function requireAccount({ accounts }: Catalog, idOrEmail: string): Promise<Account> {
  const found = await accounts.find(idOrEmail)
  if (found !== undefined) return found
  const { CatalogError } = await import('@packs/catalog')
  const problem = 'There is no account with this email or id'
  throw new CatalogError('unknown_account', problem, 'See `pack accounts list`.')
}

export async function runShow(command: Command, host: Host): Promise<Exit> {
  const { dailyLimit } = await import('@packs/catalog')
  const account = await withReadOnlyCatalog(host, readServiceUrls(command), (catalog) =>
    requireAccount(catalog, command.args[0] ?? ''),
  )
  if (isJson(command)) {
    host.writeJson({ ...describeAccount(account), created_at: account.created_at })
    return 'done'
  }
  const { pending } = account
  const lines = [
    host.styleResult('bold', account.email),
    `  id: ${account.id}`,
    `  tier: ${await describeQuota(account)}`,
    `  state: ${describeState(account)}`,
    ...(pending === null
      ? []
      : [`  once verified: ${pending.tier} with ${dailyLimit(pending).toLocaleString('en')} requests a day`]),
    `  created: ${account.created_at}`,
  ]
  host.writeResult(`${lines.join('\n')}\n`)
  return 'done'
}

export function describeAccount(
  account: Account,
): Pick<Account, 'id' | 'email' | 'tier' | 'daily' | 'verified' | 'disabled' | 'pending'> {
  const { id, email, tier, daily, verified, disabled, pending } = account
  return { id, email, tier, daily, verified, disabled, pending }
}

export async function describeQuota(account: Account): Promise<string> {
  const { dailyLimit } = await import('@packs/catalog')
  return `${account.tier} with ${dailyLimit(account).toLocaleString('en')} requests a day`
}

function describeState({ verified, disabled }: Account): string {
  const state = verified ? 'verified' : 'unverified'
  return disabled ? `${state}, disabled` : state
}

function isJson(command: Command): boolean {
  return command.opts<{ readonly json?: boolean }>().json === true
}
