import { quoteFound } from '../../pack/pack-error.ts'
import { findClosestWord } from '../closest-word.ts'
import type { Finding } from '../rules.ts'
import { expectedValues } from './front-matter-schema.ts'
import type { FoundText } from './parsed-front-matter.ts'

/**
 * Describes a value that its key does not accept: what it must be, what was found, and what to write.
 *
 * @param path key, or key, index and name for a rule of the glossary
 * @param root value of the key
 * @param found where the value is written
 */
export function describeWrongValue(path: readonly PropertyKey[], root: unknown, found: FoundText): Finding {
  const key = path.map((step) => (typeof step === 'number' ? '*' : String(step))).join('.')
  const [expected, hint] = expectedValues.get(key) ?? ['another value', '']
  const value = path
    .slice(1)
    .reduce<unknown>((parent, step) => (parent as Record<PropertyKey, unknown> | undefined)?.[step], root)
  return {
    rule: 'invalid-value',
    reason: `${nameValue(path)} must be ${expected}; found ${describeValue(value, found.text)}`,
    hint: hint + suggestValue(expected, value),
    offset: found.offset,
  }
}

function nameValue(path: readonly PropertyKey[]): string {
  const [first, index, last] = path
  if (typeof index !== 'number') return String(first)
  if (first === 'tags') return `Tag ${index + 1}`
  return last === undefined
    ? `Rule ${index + 1} of ${String(first)}`
    : `${String(last)} of rule ${index + 1} of ${String(first)}`
}

/** Describes the value as it is written: an unquoted number shows its own digits, not its parsed value. */
function describeValue(value: unknown, text: string): string {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Date) return 'a date'
  switch (typeof value) {
    case 'string':
      return quoteFound(value)
    case 'boolean':
      return `the boolean ${value}`
    case 'number':
    case 'bigint':
      return `the number ${/^[\w.+-]{1,80}$/.test(text) ? text : value}`
    default:
      return 'a map of keys'
  }
}

function suggestValue(expected: string, value: unknown): string {
  if (!expected.startsWith('one of ') || typeof value !== 'string') return ''
  const closest = findClosestWord(value, expected.slice('one of '.length).split(', '))
  return closest === undefined ? '' : ` Did you mean "${closest}"?`
}
