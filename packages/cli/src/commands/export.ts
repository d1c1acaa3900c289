import { lstatSync, readdirSync, type Dirent } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { readRegularFile } from '@packs/client/files'
import type { Pack } from '@packs/codec/pack'
import type { Command } from 'commander'
import { CliError, usageError } from '../cli-error.ts'
import { decodeText } from '../input/decode-text.ts'
import { MAX_PACK_BYTES } from '../input/read-bounded.ts'
import { formatCount, writeJson, writeNote, writeResult } from '../output/terminal.ts'
import { linkedOutputError, makeOutputFolder, writeGenerated } from '../output/write-file.ts'
import { readPacks } from '../prompt/read-packs.ts'
import { createSkill, isSealed, type Skill } from '../skill/create-skill.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'

const HELP = `
Writes the folder FOLDER/<name> for each pack, or FOLDER itself if it has the name of the only pack: SKILL.md, which names the
document, and reference.md, which has its text. Inputs are packs as files, folders and globs, and names in packs.lock. A file that
another program wrote, or that was changed since, is not overwritten. A folder with links in it is not written to.

Examples:
  $ pack export dist/tls-certificates.pack.json -o .claude/skills
  $ pack export tls-certificates -o skills/tls-certificates --compressed`

interface ExportOptions {
  readonly output: string
  readonly compressed?: boolean
  readonly force?: boolean
  readonly lock?: string
  readonly json?: boolean
}

export function configure(command: Command): void {
  command
    .argument('<inputs...>', 'packs, globs, folders, or names in packs.lock')
    .requiredOption('-o, --output <folder>', 'folder of the skills')
    .option(
      '--compressed',
      'write header and content of the pack into reference.md, where that has fewer tokens',
    )
    .option('--force', 'overwrite files that pack did not write, or that were changed')
    .option('--lock <path>', 'lock whose packs can be named; default: packs.lock beside package.json')
    .addHelpText('after', HELP)
}

/** A skill, and where it is written. */
interface Export {
  readonly pack: Pack
  readonly skill: Skill
  readonly folder: string
  readonly file: string
  readonly reference: string
  readonly tokens: number
  readonly descriptionTokens: number
  readonly isCompressed: boolean
}

export async function run(command: Command): Promise<void> {
  const options = command.opts<ExportOptions>()
  const isQuiet = options.json ?? false
  if (options.output === '') throw usageError('the folder after -o is empty', 'name a folder')
  const { packs } = await readPacks(command.args, { isPartEnough: false, isQuiet, lock: options.lock })
  const exports: Export[] = []
  for (const pack of packs) exports.push(await createExport(pack, options, packs.length === 1))
  checkNames(exports)
  for (const { folder } of exports) checkLinks(folder, folder !== options.output)
  if (!options.force) for (const one of exports) checkOverwrite(one)
  const results = exports.map((one) => ({ ...one, status: writeSkill(one) }))
  if (options.json) {
    const skills = results.map(
      ({ pack, skill, file, reference, status, tokens, descriptionTokens, isCompressed }) => ({
        slug: pack.slug,
        version: pack.version,
        name: skill.name,
        description: skill.description,
        file,
        reference,
        status,
        compressed: isCompressed,
        tokens,
        description_tokens: descriptionTokens,
        tokenizer: pack.tokenizer,
      }),
    )
    return writeJson({ ok: true, skills })
  }
  for (const { file, tokens, descriptionTokens, pack, isCompressed, skill } of results) {
    const kind = isCompressed ? 'compressed, ' : ''
    const always = `${formatCount(descriptionTokens)} of name and description`
    writeResult(`${file}: ${kind}${formatCount(tokens)} tokens of ${pack.tokenizer}, ${always}\n`)
    if (skill.name !== pack.slug) writeNote(`note: names of skills have at most 64 characters: ${skill.name}`)
  }
}

/**
 * Counts both forms of a pack if the compressed one is requested. The plain one is written if it
 * costs no more.
 */
async function createExport(pack: Pack, options: ExportOptions, isOnly: boolean): Promise<Export> {
  const source = decodeText(pack, pack.slug)
  const tokenizer = await loadTokenizer(pack.tokenizer)
  const ways = (options.compressed ? [false, true] : [false]).map((isCompressed) => {
    const skill = createSkill(pack, source, isCompressed)
    return {
      skill,
      isCompressed,
      tokens: tokenizer.countTokens(skill.text) + tokenizer.countTokens(skill.reference),
    }
  })
  const best = ways.reduce((least, way) => (way.tokens < least.tokens ? way : least))
  const { name, description } = best.skill
  const { output } = options
  const folder = isOnly && basename(resolve(output)) === name ? output : join(output, name)
  return {
    pack,
    ...best,
    folder,
    file: join(folder, 'SKILL.md'),
    reference: join(folder, 'reference.md'),
    descriptionTokens: tokenizer.countTokens(`${name}: ${description}`),
  }
}

function checkNames(exports: readonly Export[]): void {
  const names = exports.map(({ skill }) => skill.name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice === undefined) return
  const hint = 'export them into different folders'
  throw new CliError('duplicate_slug', `two of the packs have the name ${twice} as a skill`, hint)
}

/**
 * Checks that there are no links in the folder of a skill, which agents and later exports would
 * follow.
 *
 * @param isDerived whether the command line does not name the folder itself, which then must not be
 *   a link either
 * @throws CliError `linked_output`
 */
function checkLinks(folder: string, isDerived: boolean): void {
  if (isDerived && lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
    throw linkedOutputError(folder)
  let entries: readonly Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  } catch {
    // Writing it reports the error.
    return
  }
  const link = entries.find((entry) => entry.isSymbolicLink())
  if (link !== undefined) throw linkedOutputError(join(link.parentPath, link.name))
}

/** @throws CliError `file_exists` */
function checkOverwrite({ skill, file, reference }: Export): void {
  const text = readExisting(file)
  if (text !== undefined && !isSealed(text)) throw foreignFileError(file)
  const document = readExisting(reference)
  // An interrupted export has written only the document.
  if (document === undefined || document === skill.reference) return
  if (text === undefined || !isSealed(text, document)) throw foreignFileError(reference)
}

/**
 * Reads a file that may be overwritten; undefined if there is none. Writing reports any error of
 * the system.
 */
function readExisting(file: string): string | undefined {
  try {
    return readRegularFile(file, MAX_PACK_BYTES, true).data.toString()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return ['not_a_file', 'too_large', 'EISDIR'].includes(code) ? '' : undefined
  }
}

function foreignFileError(file: string): CliError {
  const problem = `${file} was not written by pack, or was changed since`
  return new CliError('file_exists', problem, 'choose another folder, or overwrite it with --force', { file })
}

/** The document is written first, so that no `SKILL.md` names another one. */
function writeSkill({ skill, folder, file, reference }: Export): 'written' | 'unchanged' {
  makeOutputFolder(folder)
  const document = writeGenerated(reference, Buffer.from(skill.reference), reference)
  const written = writeGenerated(file, Buffer.from(skill.text), file)
  return document === 'written' ? document : written
}
