import { existsSync } from 'node:fs'
import { type PublicKey, parseKeys, serializeKeys } from '@packs/codec/internal'
import type { Command } from 'commander'
import { CliError, usageError } from '../cli-error.ts'
import { formatTable, escapeControls, writeJson, writeNote, writeResult } from '../output/terminal.ts'
import { writeGenerated } from '../output/write-file.ts'
import { makeSigningKey, readKeysFile } from '../signers/signer-keys.ts'

const HELP = `
Anyone who publishes packs can sign them: \`pack publish --sign FILE\` with the private key that create makes. The id of a key is all that readers need: \`pack check --key ID\`, \`pack add --signer ID\`. The keys document lists the public keys; \`pack serve --keys\` serves it. A retired key signs nothing more, and what it signed counts. What a revoked key signed counts for nothing. The private key is never printed, and no file is overwritten with one.

Examples:
  $ pack signers create ~/.packs/release.pem --keys packs-keys.json --name "releases 2026"`

const DEFAULT_KEYS = 'packs-keys.json'

interface SignerOptions {
  readonly keys?: string
  readonly name?: string
  readonly reason?: string
  readonly json?: boolean
}

export function configure(command: Command): void {
  const create = command
    .command('create')
    .description('make a private key in a new file, and print its id')
    .argument('<file>', 'file of the private key')
    .option('--keys <file>', 'keys document to add the public key to; it may be new')
    .option('--name <text>', 'name of the key in the keys document')
  const list = command.command('list').description('list the keys of a keys document')
  const retire = command
    .command('retire')
    .description('retire a key: what it signed stays valid')
    .argument('<id>', 'id of the key')
  const revoke = command
    .command('revoke')
    .description('revoke a key: no signature of it is valid')
    .argument('<id>', 'id of the key')
    .option('--reason <text>', 'why, for readers')
  for (const subcommand of [list, retire, revoke])
    subcommand.option('--keys <file>', 'keys document', DEFAULT_KEYS)
  for (const subcommand of [create, list, retire, revoke]) subcommand.addHelpText('after', HELP)
  command.helpCommand(false).addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const options = command.opts<SignerOptions>()
  const [argument = ''] = command.args
  if (command.name() === 'create') await create(argument, options)
  else if (command.name() === 'list') await list(options)
  else await end(argument, command.name() === 'retire' ? 'retired' : 'revoked', options)
}

async function create(path: string, { keys: file, name, json }: SignerOptions): Promise<void> {
  const keys = file === undefined || !existsSync(file) ? [] : await readKeysFile(file)
  const { key, save } = await makeSigningKey()
  const { id: kid, publicKey: x } = key
  const document = await serialize([
    ...keys,
    { kty: 'OKP', crv: 'Ed25519', x, kid, status: 'active', ...(name !== undefined && { name }) },
  ])
  save(path)
  if (file !== undefined) writeGenerated(file, document, file)
  if (json) return writeJson({ ok: true, id: kid, public_key: x, file: path, keys: file ?? null })
  writeResult(`${kid}\n`)
  writeNote(`the private key is in ${path}: keep it secret, and keep a copy`)
  if (file !== undefined) writeNote(`the public key is in ${file}`)
}

async function list({ keys: file = DEFAULT_KEYS, json }: SignerOptions): Promise<void> {
  const keys = await readKeysFile(file)
  if (json) return writeJson({ ok: true, keys })
  if (keys.length === 0) return writeNote(`${file} has no keys`)
  const rows = keys.map(({ status, kid, name = '', revoked_at, reason }) =>
    [status, kid, name, [revoked_at, reason].filter(Boolean).join(': ')].map(escapeControls),
  )
  writeResult(`${formatTable(['status', 'id', 'name', ''], rows).join('\n')}\n`)
}

async function end(id: string, status: 'retired' | 'revoked', options: SignerOptions): Promise<void> {
  const { keys: file = DEFAULT_KEYS, reason, json } = options
  const keys = await readKeysFile(file)
  const before = keys.find(({ kid }) => kid === id)
  if (before === undefined) {
    const hint = `see \`pack signers list --keys ${file}\``
    throw new CliError('unknown_signer', `${file} has no key ${JSON.stringify(id.slice(0, 80))}`, hint)
  }
  if (before.status === 'revoked' && status === 'retired')
    throw usageError(`the key ${id} is revoked`, 'a revoked key stays revoked')
  const isNew = before.status !== status
  const revoked = status === 'revoked' && isNew ? { revoked_at: new Date().toISOString() } : {}
  const after: PublicKey = { ...before, status, ...revoked, ...(reason !== undefined && { reason }) }
  const document = await serialize(keys.map((key) => (key === before ? after : key)))
  writeGenerated(file, document, file)
  if (json) return writeJson({ ok: true, key: after })
  writeResult(`${isNew ? status : `was already ${status}:`} ${id}\n`)
}

/** The text is parsed again, because names and reasons come from the command line. */
async function serialize(keys: readonly PublicKey[]): Promise<Buffer> {
  const text = serializeKeys({ keys })
  await parseKeys(text)
  return Buffer.from(text)
}
