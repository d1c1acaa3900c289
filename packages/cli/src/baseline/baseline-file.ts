import { evaluate, type ValueNode } from '@humanwhocodes/momoa'
import { CliError, type Fault } from '../cli-error.ts'
import { parseJson } from '../config/parse-config.ts'

/** The figures of a pack that a baseline records. Counts are tokens in `tokenizer`. */
export interface BaselinePack {
  readonly slug: string
  readonly source: number
  readonly content: number
  readonly header: number
  readonly net_savings_pct: number
  readonly tokenizer: string
  readonly scheme: string
  /** The `pack_digest` of the pack. */
  readonly digest: string
}

/** The packs of a baseline, by slug, each with its line in the file. */
export type Baseline = ReadonlyMap<string, BaselinePack & { readonly line: number }>

const FORMAT = 'packs-baseline/1'

/** Faults of a baseline that an error lists. */
const MOST_FAULTS = 20

/**
 * Serializes a baseline: sorted by slug, each pack on a line of its own, so that a diff shows the
 * packs that changed. The comma comes first on a line, so adding a line, even the last one, changes
 * no other line, and branches merge cleanly.
 */
export function serializeBaseline(packs: readonly BaselinePack[]): string {
  const sorted = packs.toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
  const lines = sorted.map((pack) => {
    const fields = FIELDS.map(([key]) => ` ${JSON.stringify(key)}: ${JSON.stringify(pack[key])}`)
    return `{${fields.join(',')} }`
  })
  const list = lines.length === 0 ? '[]' : `[\n     ${lines.join('\n    ,')}\n  ]`
  return `{\n  "format": ${JSON.stringify(FORMAT)},\n  "packs": ${list}\n}\n`
}

/**
 * Parses a baseline.
 *
 * @param shown name of the file in messages
 * @throws CliError `invalid_baseline` with the position of each fault
 */
export function parseBaseline(text: string, shown: string): Baseline {
  const body = parseJson(text.replace(/^\uFEFF/, ''), (message, position, isConflict) => {
    const side = `take one side whole (git checkout --ours ${shown}), build, and write it again with --update`
    return isConflict
      ? invalidError(shown, [{ ...position, message, hint: side }], 'a comparison needs one whole side')
      : invalidError(shown, [{ ...position, message, hint: HINT }])
  })
  const members = body.type === 'Object' ? readMembers(body) : undefined
  const format = members?.get('format')
  if (format?.type !== 'String' || format.value !== FORMAT) throw formatError(shown, format ?? body, format)
  const list = members?.get('packs')
  if (list?.type !== 'Array') {
    throw invalidError(shown, [createFault(list ?? body, '"packs" must be a list', 'restore the list')])
  }
  const packs = new Map<string, BaselinePack & { readonly line: number }>()
  const faults: Fault[] = []
  for (const { value: node } of list.elements) {
    const issues = checkPack(node)
    const pack = issues.length === 0 ? (evaluate(node) as unknown as BaselinePack) : undefined
    if (pack === undefined) faults.push(...issues)
    else if (packs.has(pack.slug))
      faults.push(createFault(node, `${pack.slug} is recorded twice`, 'keep one of the lines'))
    else packs.set(pack.slug, { ...pack, line: node.loc.start.line })
  }
  if (faults.length > 0) throw invalidError(shown, faults)
  return packs
}

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const NAME = /^[a-z0-9][a-z0-9_.-]{0,63}$/

type Field = readonly [key: keyof BaselinePack, expected: string, isValid: (value: unknown) => boolean]

/** The fields of a pack, in the order in which they are written. */
const FIELDS: readonly Field[] = [
  ['slug', 'a slug', (value) => isMatch(value, SLUG)],
  ['source', 'a number of tokens', isCount],
  ['content', 'a number of tokens', isCount],
  ['header', 'a number of tokens', isCount],
  ['net_savings_pct', 'a percentage of at most 100', (value) => typeof value === 'number' && value <= 100],
  ['tokenizer', 'the name of a tokenizer', (value) => isMatch(value, NAME)],
  ['scheme', 'the name of a scheme', (value) => isMatch(value, NAME)],
  ['digest', 'a digest of 64 hexadecimal digits', (value) => isMatch(value, /^[0-9a-f]{64}$/)],
]

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isMatch(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && value.length <= 200 && pattern.test(value)
}

function checkPack(node: ValueNode): Fault[] {
  if (node.type !== 'Object') return [createFault(node, 'a pack must be an object', HINT)]
  const members = readMembers(node)
  const missing = FIELDS.filter(([key]) => !members.has(key)).map(([key]) => `"${key}"`)
  const verb = missing.length === 1 ? 'is' : 'are'
  return [
    ...(missing.length > 0 ? [createFault(node, `${missing.join(', ')} ${verb} missing`, HINT)] : []),
    ...FIELDS.flatMap(([key, expected, isValid]) => {
      const value = members.get(key)
      if (value === undefined || isValid(evaluate(value))) return []
      return [createFault(value, `"${key}" must be ${expected}`, HINT)]
    }),
  ]
}

/** Other keys are ignored; of duplicate keys the last one counts, as in `JSON.parse`. */
function readMembers(node: Extract<ValueNode, { type: 'Object' }>): ReadonlyMap<string, ValueNode> {
  return new Map(
    node.members.map(({ name, value }) => [name.type === 'String' ? name.value : name.name, value]),
  )
}

const HINT = 'restore the line, or remove the file and write it again with --update'

function formatError(shown: string, node: ValueNode, format: ValueNode | undefined): CliError {
  const name = format?.type === 'String' ? format.value : ''
  const fault = /^packs-baseline\/\d+$/.test(name)
    ? createFault(node, `it has the format ${name}, this program reads ${FORMAT}`, 'use a newer pack')
    : createFault(node, `it is not a baseline: "format" must be "${FORMAT}"`, 'name another file')
  return invalidError(shown, [fault])
}

function createFault({ loc: { start } }: ValueNode, message: string, hint: string): Fault {
  return { line: start.line, column: start.column, message, hint }
}

function invalidError(
  shown: string,
  faults: readonly Fault[],
  hint: string = 'restore the file, or remove it and write it again with --update',
): CliError {
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`
  return new CliError('invalid_baseline', `${shown} has ${count}, so no pack was compared`, hint, {
    file: shown,
    faults: faults.slice(0, MOST_FAULTS),
  })
}
