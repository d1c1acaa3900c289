import { existsSync } from 'node:fs'
import type { Pack } from '@packs/codec/pack'
import { CliError, fileError } from '../cli-error.ts'
import { checkSource, findPacks, openPack, type OpenPack } from '../input/read-pack.ts'
import { decodeText, FilesError, MAX_SOURCE_BYTES } from '@packs/files'
import { findLock, findPin, readPins, openCatalog, restorePack } from '../lock/pinned-packs.ts'
import { startProgress } from '../output/progress.ts'

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
}

/** The limit of one source applies to all packs together; reading stops at the pack beyond it. */
export async function readPacks(
  inputs: readonly string[],
  { isPartEnough, isQuiet, lock }: ReadOptions,
): Promise<OpenPacks> {
  const files = await findPackInputs(inputs, lock)
  const markdown = files.find(({ path = '' }) => /\.(?:md|markdown|mdx)$/i.test(path))
  if (markdown !== undefined) {
    const hint = 'run `pack build` on the sources first, then `pack prompt` on the packs'
    throw fileError('invalid_pack', markdown.shown, 'is a source, not a pack', hint)
  }
  const packs: Pack[] = []
  const empty = new Set<string>()
  const progress = startProgress('reading', files.length, isQuiet)
  let bytes = 0
  try {
    for (const file of files) {
      const { shown } = file
      const { pack, source } = await openInput(file)
      if (file.isFound && pack.content.trim() === '') {
        empty.add(shown)
        continue
      }
      bytes += Buffer.byteLength(source)
      if (bytes > MAX_SOURCE_BYTES) {
        if (isPartEnough && packs.length > 0) break
        throw tooLargeError(shown)
      }
      packs.push(pack)
      progress.advance()
    }
  } finally {
    progress.stop()
  }
  if (packs.length === 0 && empty.size > 0)
    throw new CliError('no_packs', 'no pack has text', 'name packs, or build pages that have text')
  const names = files.map(({ shown }) => shown)
  return { packs, shown: names.filter((name) => !empty.has(name)), empty: [...empty] }
}

async function openInput({ shown, path, restore }: PackInput): Promise<OpenPack> {
  if (path !== undefined) return openPack(path, shown, true)
  const pack = await restore()
  await checkSource(pack, shown)
  const { content, rosetta } = pack
  return { pack, source: decodeText({ content, rosetta }, shown, MAX_SOURCE_BYTES) }
}

function tooLargeError(file: string): CliError {
  const most = `${MAX_SOURCE_BYTES / 1024 / 1024} MiB`
  const message = `with ${file} the sources are larger than ${most} together`
  return new CliError('source_too_large', message, 'name fewer packs at once', { file })
}

/** A pack that an input names: a file, or a pack of a lock. */
type PackInput = { readonly shown: string; readonly isFound?: boolean } & (
  | { readonly path: string; readonly restore?: never }
  | { readonly path?: never; readonly restore: () => Promise<Pack> }
)

/** What can be the name of a pack, with or without a range. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:@.+)?$/

/** Finds files as `findPacks` does, and packs of a lock if no file has that name, each once. */
async function findPackInputs(inputs: readonly string[], lock?: string): Promise<readonly PackInput[]> {
  const isName = (input: string): boolean => NAME.test(input) && !existsSync(input)
  if (!inputs.some(isName)) return findFiles(inputs)
  const place = findLock(lock)
  if (lock === undefined && !existsSync(place.path)) return findFiles(inputs)
  const pins = await readPins(place)
  const catalog = await openCatalog({}, pins)
  const found = new Map<string, PackInput>()
  for (const name of inputs) {
    const slug = name.split('@')[0]!
    const pin = findPin(pins, slug)
    if (pin !== undefined && isName(name)) {
      const restore = async (): Promise<Pack> => (await restorePack(catalog, pins, name)).pack
      if (!found.has(slug)) found.set(slug, { shown: `${slug}@${pin.version}`, restore })
    } else for (const file of findFiles([name])) if (!found.has(file.path!)) found.set(file.path!, file)
  }
  return [...found.values()]
}

function findFiles(inputs: readonly string[]): readonly PackInput[] {
  const { files, failures } = findPacks(inputs)
  for (const failure of failures) throw explainName(failure)
  return files.map(({ path, shown, slugPath }) => ({ path, shown, isFound: slugPath !== undefined }))
}

function explainName(failure: FilesError): FilesError {
  const { code, message, file = '' } = failure
  if (code !== 'file_not_found' || !NAME.test(file)) return failure
  const hint = `check the name of the file, or pin a pack of a catalog with \`pack add ${file}\``
  return new FilesError(code, message, hint, { file, cause: failure })
}
