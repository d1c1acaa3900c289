import type { Command } from 'commander'
import { findDuplicateMember, listLinkPlaces } from '@packs/codec/internal'
import { decodeAnswer, type LinkTable, resolveLinks } from '@packs/codec'
import { CliError } from '../cli-error.ts'
import { MAX_PACK_BYTES, MAX_SOURCE_BYTES, readText } from '@packs/files'
import { checkSource } from '../input/read-pack.ts'
import { writeJson, writeText, writeWrapped } from '../output/terminal.ts'

const HELP = `
In an answer to a prompt of "pack prompt", a link has the number of its address: [text](7). Addresses come from --from: a file of "pack prompt --links", a pack, or what "pack prompt --json" and "pack context --json" print; of that of a prompt, terms in the answer are expanded too. Numbers stay in code, if they are unknown, and if the address is not of the web or of mail. Images become links.

Examples:
  $ llm < question.txt | pack links --from links.json`

export function configure(command: Command): void {
  command
    .argument('[answer]', 'a text, or - for stdin', '-')
    .requiredOption('--from <file>', 'JSON with the addresses')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const { from, json } = command.opts<{ from: string; json?: boolean }>()
  const [path = '-'] = command.args
  const { links, rosetta } = await readAddresses(from)
  const answer = await readText(path, MAX_SOURCE_BYTES, path === '-' ? '<stdin>' : path)
  const text = resolveLinks(rosetta === undefined ? answer : decodeAnswer(answer, rosetta), links)
  const numbers = listLinkPlaces(answer).map(({ number }) => number)
  const unknown = [...new Set(numbers)].filter((number) => !Object.hasOwn(links, number))
  if (unknown.length > 0) writeWrapped(`note: no address has the number ${unknown.join(', ')}`)
  if (json) writeJson({ ok: true, text })
  else writeText(text)
}

async function readAddresses(
  from: string,
): Promise<{ readonly links: LinkTable; readonly rosetta?: string }> {
  const read = await readText(from, MAX_PACK_BYTES)
  let value: unknown
  try {
    value = JSON.parse(read)
  } catch (cause) {
    throw linksError(from, 'is not JSON', cause)
  }
  if (findDuplicateMember(read) !== undefined) throw linksError(from, 'has two members of one name')
  const { links = value, content, rosetta, patch } = Object(value) as Readonly<Record<string, unknown>>
  // A part of a pack, or a prompt, says nothing of its source.
  if (content !== undefined && patch !== undefined) await checkSource(value, from)
  if (content !== undefined && links === value) throw linksError(from, 'is a pack without links')
  const rows = Object.entries(Object(links) as object)
  const isTable = typeof links === 'object' && links !== null
  if (!isTable || !rows.every(([key, address]) => /^\d{1,7}$/.test(key) && typeof address === 'string'))
    throw linksError(from, 'has no addresses by number')
  return {
    links: links as LinkTable,
    ...(content === undefined && typeof rosetta === 'string' && { rosetta }),
  }
}

function linksError(file: string, problem: string, cause?: unknown): CliError {
  const hint = 'write one with `pack prompt --links FILE`'
  return new CliError('invalid_links', `${file} ${problem}`, hint, { file, cause })
}
