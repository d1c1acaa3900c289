import { CompressError } from '../compress/compress-error.ts'
import { checkWorthHeader } from '../compress/cost/prompt-savings.ts'
import { checkDocuments, checkPlainSizes, namePack } from './read-packs.ts'
import type { ComposeOptions, PromptDocument } from './types.ts'

/**
 * Checks values of unknown origin. The scheme, the tokenizer and the rules of the options are checked where they are used.
 *
 * @throws {CompressError} `invalid_pack`, `undecodable_pack`, `source_too_large` with the pack; `invalid_option`
 */
export function checkInput(packs: readonly PromptDocument[], options: ComposeOptions): void {
  const isList: boolean = Array.isArray(packs)
  if (!isList) {
    throw new CompressError('invalid_pack', 'The packs are no list', 'Pass a list of packs, also for one.')
  }
  checkDocuments(packs)
  for (const [index, pack] of packs.entries()) {
    for (const field of ['title', 'slug', 'description', 'front_matter'] as const) {
      if (!['string', 'undefined'].includes(typeof (pack[field] ?? undefined)))
        throw invalidPackError(index, pack, `its ${field} is no string`)
    }
    if (pack.glossary !== undefined && !isGlossary(pack.glossary))
      throw invalidPackError(index, pack, 'its glossary is no list of rules with an expansion')
  }
  const { budget, fit, glossary, worthHeader } = options
  if (worthHeader !== undefined) checkWorthHeader(worthHeader)
  if (budget !== undefined && !(Number.isSafeInteger(budget) && budget >= 0)) {
    throw invalidOptionError('budget', budget, 'Give a whole number of tokens, 0 or more.')
  }
  if (fit !== undefined && fit !== 'first')
    throw invalidOptionError('fit', fit, 'Leave it out, or use first.')
  if (glossary !== undefined && !isGlossary(glossary)) {
    throw invalidOptionError('glossary', glossary, 'Give a list of rules with an expansion.')
  }
  if (fit === undefined || budget === undefined) checkPlainSizes(packs)
}

/** @param reason what is wrong with the pack */
function invalidPackError(index: number, pack: Partial<PromptDocument>, reason: string): CompressError {
  return new CompressError(
    'invalid_pack',
    `Cannot use ${namePack(index, pack)}: ${reason}`,
    'Correct that field, or leave it out.',
    { pack: { index, slug: typeof pack.slug === 'string' ? pack.slug : undefined } },
  )
}

function invalidOptionError(name: keyof ComposeOptions, value: unknown, hint: string): CompressError {
  return new CompressError(
    'invalid_option',
    `The option ${name} cannot be ${String(value).slice(0, 80)} (${typeof value})`,
    hint,
  )
}

function isGlossary(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((rule: { expansion?: unknown } | null | undefined) => typeof rule?.expansion === 'string')
  )
}
