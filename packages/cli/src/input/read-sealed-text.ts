import { CliError } from '../cli-error.ts'

/** The parts of a pack that decoding needs. */
export interface SealedText {
  readonly slug: string | null
  readonly content: string
  readonly rosetta: string
  /** Digest of the source body in lower-case hex, where the pack says it. */
  readonly sha256: string | null
}

/**
 * Takes the parts that decoding needs from a pack document, or from a pack as the catalog's API answers it.
 *
 * Looks at nothing else, so that it costs no start-up time; `pack check` proves a whole pack.
 *
 * @throws CliError `invalid_pack`
 */
export function readSealedText(text: string, shown: string): SealedText {
  const fail = (problem: string, hint: string): CliError =>
    new CliError('invalid_pack', `${shown} ${problem}`, hint, { file: shown })
  const pack = parseObject(text)
  if (!pack) throw fail('is not a JSON object', 'name a .pack.json file')
  const { format, slug, content, rosetta, sha256, preview } = pack
  if (format !== undefined && format !== 'packs/1') {
    throw fail(`has format ${quote(format)}, not "packs/1"`, 'use a version of pack that reads it')
  }
  if (preview === true) throw fail('holds a preview only', 'fetch the full pack with a Pro key')
  if (typeof content !== 'string' || typeof rosetta !== 'string') {
    throw fail(`has no ${typeof content === 'string' ? 'rosetta' : 'content'}`, 'name a .pack.json file')
  }
  if (sha256 !== undefined && !(typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256))) {
    throw fail(`has a sha256 that is none: ${quote(sha256)}`, 'build the pack again')
  }
  return { slug: typeof slug === 'string' ? slug : null, content, rosetta, sha256: sha256 ?? null }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return { __proto__: null, ...value }
  } catch {
    return undefined
  }
}

function quote(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 80)
}
