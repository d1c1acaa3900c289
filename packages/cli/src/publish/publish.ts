import { resolve } from 'node:path'
import type { Scheme } from '@packs/codec'
import type { SourceDefaults } from '@packs/codec/pack'
import { describeLeftOut, type Diagnostic, type FoundFiles } from '@packs/files'
import type { PublishOptions, SkippedInput } from '@packs/server'
import { Option, type Command } from 'commander'
import { exitStatus, type ExitStatus, findStatus, usageError } from '../cli-error.ts'
import { loadConfig } from '../config/load-config.ts'
import {
  addSourceOptions,
  BUILD_SECONDS_HELP,
  createSchemeOption,
  readBuildSeconds,
  type SourceOptions,
} from '../input/options.ts'
import { toDiagnostic } from '../output/diagnostic.ts'
import { loadServer } from '../server/load-server.ts'
import { loadFile, type ReadInput, readInputs } from './read-inputs.ts'
import { failedOutcome, type PublishOutcome, reportPublish, toOutcome } from './report-publish.ts'

const HELP = `
Inputs are sources as for \`pack build\`, with the same slugs and configuration. The default is "sources" in the configuration, or else the current folder. A file named directly gets its slug from its name. If the catalog has that pack and the file is now published from a folder under another slug, a warning says how to keep the slug.

A version set in front matter is used unchanged and never overwritten. Otherwise the version depends on the changes since the newest one: major if a heading or a term of the author's glossary was removed or changed; minor if one was added, headings were moved, or blocks were added, removed or moved; else patch. A source that is already the newest version is skipped, so it is safe to publish again. A source with an error does not stop the others, except in a --release. Empty stdin is an error; an empty file is not.

--sign signs the versions with a private key (see \`pack signers\`) once they are in the catalog and match their sources. The key is read only here: workers and the catalog never get it. To sign an unsigned version, publish its source again. A key that is retired or revoked in the keys document cannot sign.

Without REDIS_URL, sources are published before the command ends; with it, they are queued for \`pack worker\`. Without DATABASE_URL, the catalog is <data>/catalog.sqlite. ${BUILD_SECONDS_HELP}

--url sends the sources to a server instead, with the token in PACK_PUBLISH_TOKEN, which \`pack tokens create\` makes. Over http, it is sent to this machine only, unless PACK_ALLOW_HTTP is 1. It does not work with --data, --dry-run, --release and --sign.

Examples:
  $ pack publish notes.md
  $ pack publish docs/ --release 2026-05 --wait
  $ pack publish docs/ --sign ~/.packs/release.pem
  $ pack publish docs/ --url https://packs.example.org --wait`

const KEYS_HELP = 'keys document; default: packs-keys.json in the data folder, if it exists'
const LEVELS = ['patch', 'minor', 'major']

export function configure(command: Command): void {
  const data = new Option('--data <dir>', 'folder of the embedded catalog').env('PACK_DATA').default('.packs')
  addSourceOptions(command.optionsGroup('Input:').addOption(data))
    .argument('[inputs...]', 'files, globs, folders, or - for stdin')
    .addOption(createSchemeOption('overrides front matter'))
    .optionsGroup('Versions:')
    .addOption(new Option('--bump <level>', 'raise the version by at least this level').choices(LEVELS))
    .option('--rebuild', 'publish a source again, as a patch, even if it has not changed')
    .optionsGroup('Publishing:')
    .option('--dry-run', 'build and decide versions, but publish nothing')
    .option('--wait', 'wait until queued publishes are done (always the case without a queue)')
    .option('--release <name>', 'publish all sources together, or none')
    .option('--sign <file>', 'sign the versions with this private key; waits for queued publishes')
    .addOption(new Option('--keys <file>', KEYS_HELP).env('PACK_KEYS'))
    .option('--url <address>', 'send the sources to the server at this URL')
    .option('--verbose', 'print a line for each pack, and every message')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const options = command.opts<Options>()
  const { url, dryRun, release, sign } = options
  checkReleaseName(release)
  const data = command.getOptionValueSource('data') === 'cli' ? options.data : undefined
  const local = { '--data': data, '--dry-run': dryRun, '--release': release, '--sign': sign }
  const [other] = Object.entries(local).find(([, value]) => value !== undefined) ?? []
  if (url !== undefined && other !== undefined)
    throw usageError(`${other} does not work with --url`, `omit ${other}, or --url to publish to a database`)
  // An empty PACK_DATA counts as unset, like other variables.
  const given = { ...options, data: resolve(options.data || '.packs') }
  return url === undefined ? publishHere(command, given) : publishThere(command, given, url)
}

function checkReleaseName(name: string | undefined): void {
  if (name === undefined || /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(name)) return
  const problem = `--release ${JSON.stringify(name.slice(0, 80))} is not a valid release name`
  const hint =
    'use at most 100 letters, digits, spaces, dots, hyphens and underscores, starting with a letter or digit'
  throw usageError(problem, hint)
}

interface Options extends SourceOptions, Omit<PublishOptions, 'signingKey' | 'buildSeconds'> {
  readonly scheme?: Scheme
  readonly sign?: string
  readonly keys?: string
  /** Of a server, which gets the sources. */
  readonly url?: string
  readonly verbose?: boolean
}

async function publishHere(command: Command, options: Options): Promise<ExitStatus> {
  const { checkSigner, publishSources } = await loadServer('pack publish')
  const { host } = await import('../server/host.ts')
  const { data, sign, keys, release } = options
  const { readSigningKey } = await import('../signers/signer-keys.ts')
  const signingKey = sign === undefined ? undefined : await readSigningKey(sign)
  if (signingKey !== undefined) await checkSigner(host, signingKey.id, keys || undefined, data)
  const found = await findCommandSources(command, options)
  const { inputs, failures } = await readInputs(found)
  const isCanceled = release !== undefined && failures.length > 0
  const { outcomes, warnings } = await publishSources(
    host,
    isCanceled ? [] : inputs,
    await readSkipped(found),
    { ...options, buildSeconds: readBuildSeconds(), ...(signingKey && { signingKey, wait: true }) },
  )
  const built = isCanceled
    ? inputs.map((input) => canceledOutcome(input, failures[0]!))
    : outcomes.map((outcome, at) => {
        const input = inputs[at]!
        const messages = outcome.messages.map((one) => toDiagnostic(one, input.shown))
        return toOutcome(outcome, messages, input)
      })
  return finish([...built, ...failures], [...warnings, ...found.messages], options)
}

async function publishThere(command: Command, options: Options, url: string): Promise<ExitStatus> {
  const { openPublisher, sendSources } = await import('./send-sources.ts')
  const publish = await openPublisher(url)
  const found = await findCommandSources(command, options)
  const { inputs, failures } = await readInputs(found)
  const outcomes = await sendSources(publish, inputs, options)
  return finish([...outcomes, ...failures], found.messages, { ...options, data: undefined })
}

function finish(
  outcomes: readonly PublishOutcome[],
  messages: readonly Diagnostic[],
  options: Parameters<typeof reportPublish>[2],
): ExitStatus {
  reportPublish(outcomes, messages, options)
  const found = outcomes.flatMap(({ code }) => (code === null ? [] : [findStatus(code)]))
  return BY_SEVERITY.find((status) => found.includes(status)) ?? exitStatus.done
}

/** Most severe first. */
const BY_SEVERITY = (['internal', 'unavailable', 'refused', 'usage', 'findings'] as const).map(
  (exit) => exitStatus[exit],
)

async function findCommandSources({ args }: Command, options: Options): Promise<FoundFiles> {
  const cwd = process.cwd()
  const loaded = await loadConfig(cwd, options.config)
  const { createSourceSearch, resolveSources } = await import('../config/resolve-sources.ts')
  const search = createSourceSearch(args, options, cwd, options.data, loaded)
  const { files: found, failures, leftOut, skipped, messages } = await resolveSources(search)
  const files = options.scheme === undefined ? found : found.map((file) => setScheme(file, options.scheme!))
  const told = [...messages, ...describeLeftOut(leftOut, options.verbose)]
  return { files, failures, skipped, leftOut, messages: told }
}

/** The scheme in the front matter of a source does not count. */
function setScheme<File extends { readonly defaults?: SourceDefaults }>(file: File, scheme: Scheme): File {
  const frontMatterMap = { ...file.defaults?.frontMatterMap, compression: false as const }
  return { ...file, defaults: { ...file.defaults, compression: scheme, frontMatterMap } }
}

/** Reads the sources that are skipped, such as drafts. Those that cannot be read are omitted. */
async function readSkipped({ skipped }: FoundFiles): Promise<SkippedInput[]> {
  const read = skipped.map((found) =>
    loadFile(found).then(
      ({ file }) => [{ shown: found.shown, kind: found.kind, file }],
      () => [],
    ),
  )
  return (await Promise.all(read)).flat()
}

/** A release publishes all sources or none, so one failure cancels the others. */
function canceledOutcome({ shown, source }: ReadInput, failure: PublishOutcome): PublishOutcome {
  const problem = `nothing in this release was published, because ${failure.shown} failed`
  const hint = 'correct or omit that input, then release again'
  const error = Object.assign(new Error(problem), { code: 'release_failed', hint })
  return failedOutcome(error, shown, { slug: source.slug })
}
