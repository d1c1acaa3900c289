import type { Account, Tier } from '@packs/catalog'
import { Argument, Option, type Command } from 'commander'
import { exitStatus, type ExitStatus } from '../exit-status.ts'
import { formatTable, type Column } from '../output/format-table.ts'
import { styleResult, writeJson, writeNote, writeResult } from '../output/terminal.ts'
import {
  addDataOption,
  readServiceUrls,
  withCatalog,
  withExistingCatalog,
  withReadOnlyCatalog,
} from '../services/open-services.ts'
import { parseDaily } from './option-values.ts'

const HELP = `
An account owns keys and a daily allowance: 10 requests of the tier free, 1,000 of pro, or its own number. Who signs up
with the address of an account that was created here is asked for its claim code, which is printed once and is good for
seven days; after them an account that nobody claimed can be created again.

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
    .description('create an account, and print the code that its owner signs up with')
    .requiredOption('--email <address>', 'whose it is')
    .addOption(new Option('--tier <tier>', 'what it may see').choices(TIERS).default('free'))
  const list = command.command('list').description('list accounts')
  const setTier = command
    .command('set-tier')
    .description('change the tier of an account, or its allowance')
    .argument('<email>', 'its address or id')
    .addArgument(new Argument('<tier>', 'what it may see').choices(TIERS))
  for (const part of [create, setTier]) {
    part.option('--daily <n>', "requests a day instead of the tier's; none for the tier's", parseDaily)
  }
  for (const part of [create, list, setTier]) addDataOption(part).addHelpText('after', HELP)
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
    createClaimedAccount(catalog, { email, tier, daily: readDaily(daily) }, new Date()),
  )
  if (json) {
    writeJson({ ...describeAccount(account), claim_code: claimCode })
    return exitStatus.done
  }
  writeNote(`created ${account.email}, ${await describeAllowance(account)}; sign-up asks once for this code:`)
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
  const { allowanceOf } = await import('@packs/catalog')
  const accounts = await withReadOnlyCatalog(readServiceUrls(command), (catalog) => catalog.accounts.list())
  if (command.opts<AccountOptions>().json) {
    writeJson({ accounts: accounts.map((account) => describeAccount(account)) })
  } else if (accounts.length === 0) {
    writeNote('no accounts')
  } else {
    const rows = accounts.map((account) => [
      account.email,
      account.tier,
      String(allowanceOf(account)),
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
    catalog.accounts.setTier(email, tier as Tier, readDaily(daily)),
  )
  if (json) writeJson(describeAccount(account))
  else writeResult(`${account.email}: ${await describeAllowance(account)}\n`)
  return exitStatus.done
}

function readDaily(daily: number | 'none' | undefined): number | null | undefined {
  return daily === 'none' ? null : daily
}

function describeAccount({ id, email, tier, daily }: Account): Omit<Account, 'created_at'> {
  return { id, email, tier, daily }
}

async function describeAllowance(account: Account): Promise<string> {
  const { allowanceOf } = await import('@packs/catalog')
  return `${account.tier} with ${allowanceOf(account)} requests a day`
}
