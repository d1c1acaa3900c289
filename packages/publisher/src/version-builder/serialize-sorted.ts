/** Serializes a value as JSON with the keys of all objects sorted, so that equal values give equal texts. */
export function serializeSorted(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (isObject(item) ? sortKeys(item) : item)) ?? ''
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sortKeys(object: object): object {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
