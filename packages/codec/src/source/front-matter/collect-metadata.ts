import { findMetadataFault, type JsonObject, type JsonValue } from '../../pack/canonical-json.ts'
import { MAX_METADATA, MAX_METADATA_DEPTH } from '../../pack/field-limits.ts'

/**
 * Converts the keys that have no meaning here to JSON, or describes why they cannot be kept. Dates
 * become text as in RFC 3339. Numbers that JSON does not have, and whole numbers that are not exact
 * in every program, become text too.
 */
export function collectMetadata(
  entries: readonly (readonly [key: string, value: unknown])[],
): JsonObject | string {
  const converter = new JsonConverter()
  try {
    const metadata = converter.convertObject(entries, 1)
    return findMetadataFault(metadata) ?? metadata
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}

export function isPlainMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** Throws a RangeError at a limit at once: aliases can repeat a large value many times. */
class JsonConverter {
  /** Characters converted so far: fewer than the bytes of the result. */
  private size = 0

  convertObject(entries: readonly (readonly [string, unknown])[], depth: number): JsonObject {
    this.checkDepth(depth)
    return Object.fromEntries(
      entries.map(([key, value]) => [this.convertText(key), this.convert(value, depth + 1)]),
    )
  }

  private convert(value: unknown, depth: number): JsonValue {
    this.grow(1)
    switch (typeof value) {
      case 'string':
        return this.convertText(value)
      case 'boolean':
        return value
      case 'number':
        // Zero has one form.
        return Number.isFinite(value) ? value + 0 : this.convertText(String(value))
      case 'bigint':
        return Number.isSafeInteger(Number(value)) ? Number(value) : this.convertText(String(value))
      default:
    }
    if (value instanceof Date) return this.convertText(value.toISOString())
    if (Array.isArray(value)) {
      this.checkDepth(depth)
      return value.map((item) => this.convert(item, depth + 1))
    }
    return isPlainMap(value) ? this.convertObject(Object.entries(value), depth) : null
  }

  private convertText(text: string): string {
    this.grow(text.length)
    return text.replace(/\p{Cs}/gu, '\uFFFD')
  }

  private grow(size: number): void {
    this.size += size
    if (this.size > MAX_METADATA) throw new RangeError(`must have at most ${MAX_METADATA} bytes of JSON`)
  }

  private checkDepth(depth: number): void {
    if (depth > MAX_METADATA_DEPTH) throw new RangeError(`must have at most ${MAX_METADATA_DEPTH} levels`)
  }
}
