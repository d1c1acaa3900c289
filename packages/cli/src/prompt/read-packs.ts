import { existsSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { Pack } from '@packs/codec/pack'
import { decodeText, formatPath, MAX_SOURCE_BYTES, openFiles, type OpenedPack } from '@packs/files'
import { CliError, explainMissing } from '../cli-error.ts'
import { checkSource, type OpenPack, openPack } from '../input/read-pack.ts'
import { findLock, findPin, LOCK_NAME, openCatalog, readPins, restorePack } from '../lock/pinned-packs.ts'
import { startProgress } from '../output/progress.ts'
import { writeNote, writeWarning } from '../output/terminal.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'

interface OpenPacks {
  /** The first packs, as many as were read. */
  readonly packs: readonly Pack[]
  readonly shown: readonly string[]
  /** Packs of folders that have no text. */
  readonly empty: readonly string[]
}

interface ReadOptions {
  /** Return the first packs if the sources of all are too large. */
  readonly isPartEnough: boolean
  readonly isQuiet: boolean
  /** Lock whose packs can be named; default: that of {@link findLock}. */
  readonly lock?: string | undefined
  /** Catalog whose packs can be named. */
  readonly url?: string | undefined
}

/** The limit of one source applies to all packs together; reading stops at the pack beyond it. */
export async function readPacks(inputs: readonly string[], options: ReadOptions): Promise<OpenPacks> {
  const opened = await findPackInputs(inputs, options)
  const names = new Set(opened.flatMap(({ shown }) => shown))
  const packs = new Map<string, Pack>()
  const empty = new Set<string>()
  const progress = startProgress('reading', names.size, options.isQuiet)
  let bytes = 0
  try {
    reading: for (const { stream, isFolder } of opened) {
      for await (const { shown, pack, body, source = body } of stream()) {
        if (packs.has(shown) || empty.has(shown)) continue
        if (isFolder && pack.content.trim() === '') {
          empty.add(shown)
          continue
        }
        bytes += Buffer.byteLength(source)
        if (bytes > MAX_SOURCE_BYTES) {
          if (options.isPartEnough && packs.size > 0) break reading
          throw tooLargeError(shown)
        }
        packs.set(shown, pack)
        progress.advance()
      }
    }
  } finally {
    progress.stop()
  }
  if (packs.size === 0 && empty.size > 0)
    throw new CliError('no_packs', 'no pack has text', 'name packs, or build pages that have text')
  return {
    packs: [...packs.values()],
    shown: [...names].filter((name) => !empty.has(name)),
    empty: [...empty],
  }
}

function tooLargeError(file: string): CliError {
  const most = `${MAX_SOURCE_BYTES / 1024 / 1024} MiB`
  const message = `with ${file} the sources are larger than ${most} together`
  return new CliError('source_too_large', message, 'name fewer packs at once', { file })
}

/** What an input names: a file, a folder or glob, or packs of a lock or a catalog. */
interface PackInput {
  readonly shown: readonly string[]
  readonly stream: () => AsyncIterable<OpenedPack>
  readonly isFolder: boolean
}

/** What can be the name of a pack, with or without a range. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:@.+)?$/

/** An input names a pack of a lock or a catalog only if no file has this name. */
async function findPackInputs(
  inputs: readonly string[],
  { lock, url }: ReadOptions,
): Promise<readonly PackInput[]> {
  const isName = (input: string): boolean => NAME.test(input) && !existsSync(input)
  const named = lock ?? inputs.find(isLock)
  const place = findLock(named)
  const isPinned = named !== undefined || (url === undefined && existsSync(place.path))
  const pins =
    isPinned && inputs.some((input) => isName(input) || isLock(input)) ? await readPins(place) : undefined
  const catalog = pins || url !== undefined ? await openCatalog({ url }, pins) : undefined
  const open = async (input: string): Promise<PackInput> => {
    const slug = input.split('@')[0]!
    const pin = pins && findPin(pins, slug)
    if (catalog === undefined || !isName(input) || (pins && pin === undefined)) return openInput(input)
    const shown = pin === undefined ? input : `${slug}@${pin.version}`
    return openOne(shown, async () => {
      const { pack } = await restorePack(catalog, pins, input)
      await checkSource(pack, shown)
      const { content, rosetta } = pack
      return { pack, source: decodeText({ content, rosetta }, shown, MAX_SOURCE_BYTES) }
    })
  }
  const all = inputs.flatMap((input) => (pins && isLock(input) ? Object.keys(pins.packs) : [input]))
  return Promise.all(all.map(open))
}

function isLock(input: string): boolean {
  return basename(input) === LOCK_NAME
}

/** A file that is not markdown is taken for a pack, whatever its name is. */
async function openInput(input: string): Promise<PackInput> {
  const path = resolve(input)
  const isFile = input === '-' || statSync(path, { throwIfNoEntry: false })?.isDirectory() === false
  if (isFile && !/\.(?:md|markdown|mdx)$/i.test(input)) {
    const shown = input === '-' ? '<stdin>' : formatPath(path, process.cwd())
    return openOne(shown, () => openPack(input, shown, true))
  }
  const notes = { onWarning: writeWarning, onNote: writeNote }
  const opened = await openFiles([input], { loadTokenizer, ...notes }).catch((error) =>
    explainMissing(error, adviseOnName),
  )
  return { ...opened, isFolder: !isFile }
}

function openOne(shown: string, read: () => Promise<OpenPack>): PackInput {
  async function* stream(): AsyncGenerator<OpenedPack> {
    const { pack, source } = await read()
    yield { shown, pack, body: source }
  }
  return { shown: [shown], stream, isFolder: false }
}

function adviseOnName(file: string): string | undefined {
  const hint = `check the name of the file, or pin a pack of a catalog with \`pack add ${file}\``
  return NAME.test(file) ? hint : undefined
}
