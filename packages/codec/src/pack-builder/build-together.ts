import { checkGlossary, listRuleErrors } from '../compress/candidates/check-glossary.ts'
import { CompressError } from '../compress/compress-error.ts'
import { compressTogether } from '../compress/shared-header/compress-together.ts'
import type { SharedCompression } from '../compress/types.ts'
import type { Source } from '../source/types.ts'
import { loadTokenizer } from '../tokens/load-tokenizer.ts'
import type { BuildOptions, BuildResult } from './build-pack.ts'
import {
  isMdx,
  reportCollisions,
  reportGlossaryErrors,
  reportNote,
  reportReadability,
} from './compress-source.ts'
import { createDiagnostics, type Diagnostics } from './diagnostics.ts'
import { finishPack } from './finish-pack.ts'
import { dropUsedTerms } from './given-rules.ts'
import { type MergedGlossary, mergeGlossaries } from '../compress/shared-header/merge-glossaries.ts'

/**
 * Packs that share a header, one for each source in order. If a message says why one cannot be built, none is
 * built.
 */
export interface SharedBuild {
  readonly results: readonly BuildResult[]
  /** The shared header and its token counts. */
  readonly shared?: SharedCompression
}

/**
 * Builds the packs of sources that are loaded together, with one shared header. Each pack has the part of the
 * header that it needs, so it can also be used alone. Glossaries are merged. Sources must agree in scheme,
 * tokenizer and `code`.
 *
 * @throws TokenError for an unknown tokenizer
 * @example
 * const { results, shared } = await buildTogether([tls, pki])
 * shared?.rosetta // decodes the content of each pack
 */
export async function buildTogether(
  parsed: readonly Source[],
  options: BuildOptions = {},
): Promise<SharedBuild> {
  const members = dropUsedTerms(
    parsed.map((source) => ({
      source,
      diagnostics: createDiagnostics(source),
      ...resolveSettings(source, options),
    })),
  )
  const sources = members.map(({ source }) => source)
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
      mdx: sources.some(isMdx),
      effort: options.effort ?? 'fast',
    })
    if (shared !== undefined) {
      for (const note of shared.notes) {
        const owner = glossary.owners[note.rule]!
        const { source, diagnostics } = members[owner.source]!
        reportNote(note, owner.rule, source, diagnostics)
      }
      const results = members.map(({ source, diagnostics }, place): BuildResult => {
        const compression = shared.compressions[place]!
        if (scheme === 'glossary-1')
          reportReadability(source, { ...compression, entries: shared.entries }, diagnostics)
        const pack = finishPack(
          source,
          compression,
          { scheme, tokenizer, code: members[place]!.code, budget: options.budget },
          diagnostics,
        )
        return { pack, compression, messages: diagnostics.list() }
      })
      return { results, shared }
    }
  }
  reportNotBuilt(members)
  return { results: members.map(({ diagnostics }) => ({ messages: diagnostics.list() })) }
}

type Settings = Required<{ [key in 'scheme' | 'tokenizer' | 'code']: NonNullable<BuildOptions[key]> }>

interface Member extends Settings {
  readonly source: Source
  readonly diagnostics: Diagnostics
}

function resolveSettings(source: Source, options: BuildOptions): Settings {
  return {
    scheme: options.scheme ?? source.compression,
    tokenizer: options.tokenizer ?? source.tokenizer,
    code: options.code ?? source.code,
  }
}

/** Formats the place of a front matter value, for messages about another file. */
function formatPlace({ source, diagnostics }: Member, ...keys: string[]): string {
  const { line, column } = diagnostics.findPlace(...keys)
  return `${source.path}:${line}:${column}`
}

function checkAgreement(members: readonly Member[]): void {
  const first = members[0]!
  for (const member of members) {
    for (const [setting, key] of SETTINGS) {
      if (member[setting] === first[setting] || (setting === 'code' && member.scheme !== 'glossary-1'))
        continue
      member.diagnostics.report(
        'shared-rosetta',
        member.diagnostics.findPlace(key),
        `Packs that share a header need one ${key}: ${member[setting]} here, ${first[setting]} at ${formatPlace(first, key)}`,
        'Set the same value in all sources, or set it on the command line.',
      )
    }
  }
}

const SETTINGS = [
  ['scheme', 'compression'],
  ['tokenizer', 'tokenizer'],
  ['code', 'code'],
] as const

/**
 * Reports errors in each glossary by itself, then conflicts with other glossaries and with the texts of other
 * sources.
 */
function checkGlossaries(members: readonly Member[], { rules, owners, clashes }: MergedGlossary): void {
  for (const { source, diagnostics } of members) {
    try {
      checkGlossary(source.glossary, source.body)
    } catch (error) {
      if (!(error instanceof CompressError)) throw error
      reportGlossaryErrors(source, source.glossary, error, diagnostics)
    }
  }
  if (hasErrors(members)) return
  for (const { first, second, reason } of clashes) {
    for (const [here, there] of [
      [second, first],
      [first, second],
    ] as const) {
      const { diagnostics } = members[here.source]!
      const other = formatPlace(members[there.source]!, `glossary.${there.rule}`)
      diagnostics.report(
        'shared-rosetta',
        diagnostics.findPlace(`glossary.${here.rule}`),
        `${reason} (see ${other})`,
        'Packs that share a header share one glossary: keep one of the two.',
      )
    }
  }
  for (const [place, { source, diagnostics }] of members.entries()) {
    for (const [rule, error] of listRuleErrors(rules, source.body).entries()) {
      const owner = owners[rule]!
      if (owner.source === place || error?.code !== 'term_collision') continue
      const origin = formatPlace(
        members[owner.source]!,
        `glossary.${owner.rule}.term`,
        `glossary.${owner.rule}`,
      )
      reportCollisions(source, error, `glossary of ${origin}`, diagnostics)
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
    for (const { diagnostics } of members) {
      diagnostics.report(
        'shared-rosetta',
        diagnostics.findPlace('domain'),
        `${error.message}, all packs together`,
        error.hint,
      )
    }
    return undefined
  }
}

function hasErrors(members: readonly Member[]): boolean {
  return members.some(hasError)
}

function hasError({ diagnostics }: Member): boolean {
  return diagnostics.list().some(({ fatal }) => fatal)
}

/** Reports to the sources without errors which error prevents their packs. */
function reportNotBuilt(members: readonly Member[]): void {
  const cause = members.find(hasError)
  const [message] = cause?.diagnostics.list().filter(({ fatal }) => fatal) ?? []
  if (cause === undefined || message === undefined) return
  const place = `${cause.source.path}:${message.line ?? 1}:${message.column ?? 1}`
  for (const member of members) {
    if (hasError(member)) continue
    member.diagnostics.report(
      'shared-rosetta',
      member.diagnostics.findPlace('domain'),
      `Not built, because its header is shared and ${place} has an error`,
      'Correct the error, or build without a shared header.',
    )
  }
}
