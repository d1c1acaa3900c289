import { existsSync } from 'node:fs'
import type { Pack } from '@packs/codec/pack'
import { CliError } from '../cli-error.ts'
import { findPacks } from '../input/find-packs.ts'
import { findLock, findPin, readPins } from './lock-place.ts'
import { openCatalog } from './open-catalog.ts'
import { restorePack } from './restore-packs.ts'

/** A pack that an input names: a file, or a pack of a lock. */
export type PackInput =
  | { readonly shown: string; readonly path: string; readonly restore?: never }
  | { readonly shown: string; readonly path?: never; readonly restore: () => Promise<Pack> }

/** What can be the name of a pack, with or without a range. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:@.+)?$/

/**
 * Finds the packs that inputs name: files as `findPacks` does, and packs of a lock where no file has such a name. A pack that is
 * named twice is returned once.
 *
 * @param lock path of the lock; default: that of {@link findLock}
 * @throws CliError of `findPacks`; `file_not_found` for a name that neither a file nor the lock has
 * @throws ClientError `invalid_lock`
 */
export async function findPackInputs(
  inputs: readonly string[],
  lock?: string,
): Promise<readonly PackInput[]> {
  const isName = (input: string): boolean => NAME.test(input) && !existsSync(input)
  if (!inputs.some(isName)) return findFiles(inputs)
  const place = findLock(lock)
  if (lock === undefined && !existsSync(place.path)) return findFiles(inputs)
  const pins = await readPins(place)
  const catalog = await openCatalog({}, pins)
  const found = new Map<string, PackInput>()
  // Files between two names are found together, so that none is taken twice.
  for (const run of splitRuns(inputs, isName)) {
    const [name = ''] = run
    const slug = name.split('@')[0]!
    const pin = findPin(pins, slug)
    if (pin !== undefined && isName(name)) {
      const restore = async (): Promise<Pack> => (await restorePack(catalog, pins, name)).pack
      if (!found.has(slug)) found.set(slug, { shown: `${slug}@${pin.version}`, restore })
    } else for (const file of findFiles(run)) if (!found.has(file.path!)) found.set(file.path!, file)
  }
  return [...found.values()]
}

/** Splits inputs into single names and runs of all others. */
function splitRuns(inputs: readonly string[], isName: (input: string) => boolean): string[][] {
  const runs: string[][] = []
  let isOpen = false
  for (const input of inputs) {
    if (isOpen && !isName(input)) runs.at(-1)!.push(input)
    else runs.push([input])
    isOpen = !isName(input)
  }
  return runs
}

function findFiles(inputs: readonly string[]): readonly PackInput[] {
  const { files, failures } = findPacks(inputs)
  for (const failure of failures) throw explainName(failure)
  return files.map(({ path, shown }) => ({ path, shown }))
}

function explainName(failure: CliError): CliError {
  const { code, message, file = '' } = failure
  if (code !== 'file_not_found' || !NAME.test(file)) return failure
  const hint = `check the name of the file, or pin a pack of a catalog with \`pack add ${file}\``
  return new CliError(code, message, hint, { file, cause: failure })
}

/**
 * Adds to the error of a file or folder that the lock has a pack of its name, which may be what was meant.
 *
 * @param lock as for {@link findPackInputs}
 */
export async function mentionPin(error: unknown, inputs: readonly string[], lock?: string): Promise<unknown> {
  if (!(error instanceof CliError)) return error
  const { code, message, hint, file } = error
  const isConcerned = (input: string): boolean => file === undefined || `${file}/`.startsWith(`${input}/`)
  const taken = inputs.filter((input) => NAME.test(input) && existsSync(input) && isConcerned(input))
  const place = findLock(lock)
  if (taken.length === 0 || !existsSync(place.path)) return error
  const pins = await readPins(place).catch(() => undefined)
  for (const slug of taken) {
    const pin = pins && findPin(pins, slug)
    if (pin === undefined) continue
    const advice = `${place.shown} has a pack of this name too: write ${slug}@${pin.version} for the pack and ./${slug} for the file or folder, or rename it`
    return new CliError(code, message, `${advice}; otherwise ${hint}`, {
      ...(file !== undefined && { file }),
      faults: error.faults,
      cause: error,
    })
  }
  return error
}
