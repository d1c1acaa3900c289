import type { Account, Tier } from '@packs/catalog'
import { Argument, Option, type Command } from 'commander'
import { exitStatus, type ExitStatus } from '../../exit-status.ts'
import { formatTable, type Column } from '../../output/format-table.ts'
import { styleResult, writeJson, writeNote, writeResult } from '../../output/terminal.ts'
import {
  addDataOption,
  readServiceUrls,
  withCatalog,
  withExistingCatalog,
  withReadOnlyCatalog,
} from '../../services/open-services.ts'
import { readOperator } from '../../services/read-operator.ts'
import { parseDailyQuota } from '../../input/option-values.ts'

const HELP = `
An account owns keys and a daily quota: 10 requests for the free tier, 1,000 for pro, or a number of its own. Signing up with
the e-mail address of an account created here requires its claim code, which is printed once and is valid for seven days.
After that, an unclaimed account can be created again.

Examples:
  $ pack accounts create --email ada@example.org --tier pro
  $ pack accounts list
  $ pack accounts set-tier ada@example.org pro --daily 5000
  $ pack accounts set-tier ada@example.org pro --daily none`

const TIERS: readonly Tier[] = ['free', 'pro']

interface AccountOptions {
  readonly email: string
  readonly tier: Tier
  readonly daily?: number | 'none'
  readonly json?: boolean
}

export function configure(command: Command): void {
  const create = command
    .command('create')
    .description('create an account, and print the claim code for its sign-up')
    .requiredOption('--email <address>', 'e-mail address of the owner')
    .addOption(new Option('--tier <tier>', 'tier of the account').choices(TIERS).default('free'))
  const list = command.command('list').description('list accounts')
  const setTier = command
    .command('set-tier')
    .description('change the tier or the quota of an account')
    .argument('<email>', 'e-mail address or id of the account')
    .addArgument(new Argument('<tier>', 'tier of the account').choices(TIERS))
  for (const subcommand of [create, setTier]) {
    subcommand.option('--daily <n>', "requests per day; none to use the tier's quota", parseDailyQuota)
  }
  for (const subcommand of [create, list, setTier]) addDataOption(subcommand).addHelpText('after', HELP)
  command.helpCommand(false).addHelpText('after', HELP)
}

export function run(command: Command): Promise<ExitStatus> {
  if (command.name() === 'create') return runCreate(command)
  return command.name() === 'list' ? runList(command) : runSetTier(command)
}

async function runCreate(command: Command): Promise<ExitStatus> {
  const { email, tier, daily, json } = command.opts<AccountOptions>()
  const { createClaimedAccount } = await import('@packs/catalog')
  const { account, claimCode } = await withCatalog(readServiceUrls(command), (catalog) =>
    createClaimedAccount(
      catalog,
      { email, tier, daily: readDaily(daily), actor: readOperator() },
      new Date(),
    ),
  )
  if (json) {
    writeJson({ ...describeAccount(account), claim_code: claimCode })
    return exitStatus.done
  }
  writeNote(
    `created ${account.email}, ${await describeQuota(account)}; sign-up needs this claim code, shown only once:`,
  )
  writeResult(`${claimCode}\n`)
  return exitStatus.done
}

const COLUMNS: readonly Column[] = [
  { heading: 'email', align: 'left' },
  { heading: 'tier', align: 'left' },
  { heading: 'daily', align: 'right' },
  { heading: 'created', align: 'left' },
  { heading: 'id', align: 'left' },
]

async function runList(command: Command): Promise<ExitStatus> {
  const { dailyLimit } = await import('@packs/catalog')
  const accounts = await withReadOnlyCatalog(readServiceUrls(command), (catalog) => catalog.accounts.list())
  if (command.opts<AccountOptions>().json) {
    writeJson({ accounts: accounts.map((account) => describeAccount(account)) })
  } else if (accounts.length === 0) {
    writeNote('no accounts')
  } else {
    const rows = accounts.map((account) => [
      account.email,
      account.tier,
      String(dailyLimit(account)),
      account.created_at.slice(0, 10),
      account.id,
    ])
    const [heading = '', ...lines] = formatTable(COLUMNS, rows)
    writeResult([styleResult('bold', heading), ...lines, ''].join('\n'))
  }
  return exitStatus.done
}

async function runSetTier(command: Command): Promise<ExitStatus> {
  const { daily, json } = command.opts<AccountOptions>()
  const [email = '', tier = ''] = command.args
  const account = await withExistingCatalog(readServiceUrls(command), (catalog) =>
    catalog.accounts.setTier(email, {
      tier: tier as Tier,
      daily: readDaily(daily),
      actor: readOperator(),
    }),
  )
  if (json) writeJson(describeAccount(account))
  else writeResult(`${account.email}: ${await describeQuota(account)}\n`)
  return exitStatus.done
}

function readDaily(daily: number | 'none' | undefined): number | null | undefined {
  return daily === 'none' ? null : daily
}

function describeAccount({ id, email, tier, daily }: Account): Omit<Account, 'created_at'> {
  return { id, email, tier, daily }
}

async function describeQuota(account: Account): Promise<string> {
  const { dailyLimit } = await import('@packs/catalog')
  return `${account.tier} with ${dailyLimit(account)} requests a day`
}
