/** Lists rows of `it.each` from a table in which values with the same result share a line: the result, then the values. */
export function listPairs<Value, Result>(
  table: readonly (readonly [Result, ...Value[]])[],
): (readonly [Value, Result])[] {
  return table.flatMap(([result, ...values]) => values.map((value) => [value, result] as const))
}
