import { CompressError, compressTogether, type SharedCompression } from '../compress/index.ts'
import { checkGlossary } from '../compress/candidates/author-glossary.ts'
import type { Source } from '../source/types.ts'
import { loadTokenizer } from '../tokens/load-tokenizer.ts'
import type { BuildOptions, BuildResult } from './build-pack.ts'
import {
  findError,
  tellCollisions,
  tellGlossaryErrors,
  tellNote,
  tellReadability,
} from './compress-source.ts'
import { createTeller, type Teller } from './diagnostics.ts'
import { finishPack } from './finish-pack.ts'
import { mergeGlossaries, type MergedGlossary } from './merge-glossaries.ts'

/** Packs that share a header, one for each source in order; where a message says why there is none, there are none at all. */
export interface SharedBuild {
  readonly results: readonly BuildResult[]
  /** The shared header and its figures. */
  readonly shared?: SharedCompression
}

/**
 * Builds the packs of sources that are loaded together, with one header: each has the part that it needs, so that it stands
 * alone, and all parts are in one. Glossaries are merged. Sources must agree in scheme, tokenizer and `code`.
 *
 * @throws TokenError for an unknown tokenizer
 * @example
 * const { results, shared } = await buildTogether([tls, pki])
 * shared?.rosetta // decodes the content of each pack
 */
export async function buildTogether(
  sources: readonly Source[],
  options: BuildOptions = {},
): Promise<SharedBuild> {
  const members = sources.map((source) => ({
    source,
    teller: createTeller(source),
    ...settle(source, options),
  }))
  const [first] = members
  if (first === undefined) return { results: [] }
  const glossary = mergeGlossaries(sources.map((source) => source.glossary))
  checkAgreement(members)
  checkGlossaries(members, glossary)
  if (!hasErrors(members)) {
    const tokenizer = await loadTokenizer(first.tokenizer)
    const { scheme, code } = first
    const shared = tryCompress(members, {
      scheme,
      tokenizer: tokenizer.name,
      glossary: glossary.rules,
      code,
      effort: options.effort ?? 'fast',
    })
    if (shared !== undefined) {
      for (const note of shared.notes) {
        const owner = glossary.owners[note.rule]!
        tellNote(note, owner.rule, members[owner.source]!.teller)
      }
      const results = members.map(({ source, teller }, place): BuildResult => {
        const compression = shared.compressions[place]!
        if (scheme === 'glossary-1')
          tellReadability(source, { ...compression, entries: shared.entries }, teller)
        const pack = finishPack(source, compression, { scheme, tokenizer, budget: options.budget }, teller)
        return { pack, compression, messages: teller.list() }
      })
      return { results, shared }
    }
  }
  tellOthers(members)
  return { results: members.map(({ teller }) => ({ messages: teller.list() })) }
}

type Settings = Required<{ [key in 'scheme' | 'tokenizer' | 'code']: NonNullable<BuildOptions[key]> }>

interface Member extends Settings {
  readonly source: Source
  readonly teller: Teller
}

function settle(source: Source, options: BuildOptions): Settings {
  return {
    scheme: options.scheme ?? source.compression,
    tokenizer: options.tokenizer ?? source.tokenizer,
    code: options.code ?? source.code,
  }
}

/** Where a value of a member's front matter stands, for messages about another file. */
function showPlace({ source, teller }: Member, ...keys: string[]): string {
  const { line, column } = teller.findPlace(...keys)
  return `${source.path}:${line}:${column}`
}

function checkAgreement(members: readonly Member[]): void {
  const first = members[0]!
  for (const member of members) {
    for (const [setting, key] of SETTINGS) {
      if (member[setting] === first[setting] || (setting === 'code' && member.scheme !== 'glossary-1'))
        continue
      member.teller.tell(
        'shared-rosetta',
        member.teller.findPlace(key),
        `Packs that share a header need one ${key}: ${member[setting]} here, ${first[setting]} at ${showPlace(first, key)}`,
        'Set the same for all, or on the command line.',
      )
    }
  }
}

const SETTINGS = [
  ['scheme', 'compression'],
  ['tokenizer', 'tokenizer'],
  ['code', 'code'],
] as const

/** Tells what is wrong in each glossary by itself, then what one does to another or to another's text. */
function checkGlossaries(members: readonly Member[], { rules, owners, clashes }: MergedGlossary): void {
  for (const { source, teller } of members) {
    try {
      checkGlossary(source.glossary, source.body)
    } catch (error) {
      if (!(error instanceof CompressError)) throw error
      tellGlossaryErrors(source, source.glossary, error, teller)
    }
  }
  if (hasErrors(members)) return
  for (const { first, second, reason } of clashes) {
    for (const [here, there] of [
      [second, first],
      [first, second],
    ] as const) {
      const { teller } = members[here.source]!
      const other = showPlace(members[there.source]!, `glossary.${there.rule}`)
      teller.tell(
        'shared-rosetta',
        teller.findPlace(`glossary.${here.rule}`),
        `${reason} (see ${other})`,
        'Packs that share a header share one glossary: keep one of both.',
      )
    }
  }
  for (const [place, { source, teller }] of members.entries()) {
    for (const [rule, value] of rules.entries()) {
      const owner = owners[rule]!
      const error = owner.source === place ? undefined : findError(value, source.body)
      if (error?.code !== 'term_collision') continue
      const origin = showPlace(
        members[owner.source]!,
        `glossary.${owner.rule}.term`,
        `glossary.${owner.rule}`,
      )
      tellCollisions(source, error, `glossary of ${origin}`, teller)
    }
  }
}

function tryCompress(
  members: readonly Member[],
  options: Parameters<typeof compressTogether>[1],
): SharedCompression | undefined {
  try {
    return compressTogether(
      members.map(({ source }) => source.body),
      options,
    )
  } catch (error) {
    if (!(error instanceof CompressError)) throw error
    for (const { teller } of members) {
      teller.tell(
        'shared-rosetta',
        teller.findPlace('domain'),
        `${error.message}, all packs together`,
        error.hint,
      )
    }
    return undefined
  }
}

function hasErrors(members: readonly Member[]): boolean {
  return members.some(isAtFault)
}

function isAtFault({ teller }: Member): boolean {
  return teller.list().some(({ fatal }) => fatal)
}

/** None is built where one is at fault: the others hear where. */
function tellOthers(members: readonly Member[]): void {
  const cause = members.find(isAtFault)
  const [message] = cause?.teller.list().filter(({ fatal }) => fatal) ?? []
  if (cause === undefined || message === undefined) return
  const place = `${cause.source.path}:${message.line ?? 1}:${message.column ?? 1}`
  for (const member of members) {
    if (isAtFault(member)) continue
    member.teller.tell(
      'shared-rosetta',
      member.teller.findPlace('domain'),
      `Not built, since its header is shared and ${place} has an error`,
      'Correct that, or build without a shared header.',
    )
  }
}
