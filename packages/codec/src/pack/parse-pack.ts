import type * as z from 'zod'
import { SCHEME_NAMES } from '../scheme-names.ts'
import { MAX_PACK, quoteFound } from './field-limits.ts'
import { PackError, type PackIssue } from './pack-error.ts'
import { findDuplicateMember } from './canonical-json.ts'
import { type Pack, packSchema } from './pack-schema.ts'

/**
 * Parses a pack document: JSON as text or UTF-8 bytes, or a parsed value. Drops unknown keys;
 * refuses JSON in which an object has two members of one name.
 *
 * Only the shape is checked; `checkPack` checks the values.
 * @throws PackError with every error and its field
 * @example
 * const pack = parsePack(await readFile('tls-basics.pack.json'))
 */
export function parsePack(input: unknown): Pack {
  const parsed = packSchema.safeParse(readValue(input), { reportInput: true })
  const pack = parsed.success ? dropLaterFields(parsed.data) : undefined
  const issues = parsed.success ? findFormIssues(pack!) : parsed.error.issues.slice(0, 50).map(describeIssue)
  if (pack !== undefined && issues.length === 0) return pack
  const [first] = issues
  const reason = first === undefined ? '' : `: ${first.path === '' ? '' : `${first.path} `}${first.message}`
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : ''
  throw new PackError(
    'invalid_pack',
    `This is not a pack${reason}${more}`,
    'Build the pack again from its source.',
    issues,
  )
}

/** What a pack with a minified text has; only `url`, `links` and `patch` may be absent then. */
const NEEDED = ['minify', 'text_sha256', 'links_sha256', 'patch_sha256'] as const
const MINIFIED: readonly (keyof Pack)[] = [...NEEDED, 'url', 'links', 'patch']

/** Drops fields that the format `packs/1` does not define, like any unknown key. */
function dropLaterFields(pack: Pack): Pack {
  if (pack.format !== 'packs/1') return pack
  const fields = Object.entries(pack).filter(([key]) => !MINIFIED.includes(key as keyof Pack))
  return Object.fromEntries(fields) as unknown as Pack
}

function findFormIssues(pack: Pack): PackIssue[] {
  if (pack.format === 'packs/1') return []
  const isOld = !SCHEME_NAMES.some((scheme) => scheme === pack.compression)
  if (isOld) return [{ path: 'compression', message: `must be one of ${SCHEME_NAMES.join(', ')} in packs/2` }]
  const isNone = pack.compression === 'none'
  const wrong = (isNone ? MINIFIED : NEEDED).filter((field) => (pack[field] === undefined) !== isNone)
  return wrong.map((path) => ({
    path,
    message: isNone ? 'must be absent under none' : `must be present under ${pack.compression}`,
  }))
}

function readValue(input: unknown): unknown {
  const isBytes = input instanceof Uint8Array
  if (!isBytes && typeof input !== 'string') return input
  // One UTF-16 unit takes at most three bytes.
  if (input.length > (isBytes ? 3 * MAX_PACK : MAX_PACK)) {
    const hint = `A pack file can have at most ${MAX_PACK} characters.`
    throw new PackError(
      'pack_too_large',
      `The pack has ${input.length} ${isBytes ? 'bytes' : 'characters'}`,
      hint,
    )
  }
  const text = isBytes ? decodeText(input) : input
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // Errors of JSON quote text, and our messages never repeat a whole input.
    const reason = (error as Error).message.replace(/,? ?(?:\.\.\.)?"[^]*/, '').slice(0, 160)
    throw new PackError('invalid_json', `The pack is not valid JSON: ${reason}`, NO_PACK)
  }
  const twice = findDuplicateMember(text)
  if (twice === undefined) return value
  const message = `The pack has two members with the name ${quoteFound(twice)}`
  throw new PackError('invalid_json', message, NO_PACK)
}

const NO_PACK = 'Pass a .pack.json file, or build the pack again from its source.'

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new PackError('invalid_utf8', 'The pack is not valid UTF-8', NO_PACK)
  }
}

function describeIssue(issue: z.core.$ZodIssue): PackIssue {
  return {
    path: issue.path.join('.'),
    message: `${describeFault(issue)}; found ${describeValue(issue.input)}`,
  }
}

function describeFault(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be of type ${issue.expected}`
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`
    case 'invalid_format':
      return `must have the form ${issue.pattern ?? issue.format}`
    case 'too_big':
      return `must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters long' : ''}`
    case 'too_small':
      return `must be at least ${issue.minimum}${issue.origin === 'string' ? ' characters long' : ''}`
    default:
      return issue.message
  }
}

function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing'
    case 'string':
      return quoteFound(value)
    case 'number':
    case 'boolean':
      return `${value}`
    default:
      return Array.isArray(value) ? 'an array' : value === null ? 'null' : 'an object'
  }
}
