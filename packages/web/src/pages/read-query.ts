/** The fields of an address's query; one that is there several times is a list. */
export function readQuery(url: string): Readonly<Record<string, string | readonly string[]>> {
  const start = url.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start))
  const fields = [...new Set(query.keys())].map((name) => {
    const values = query.getAll(name)
    return [name, values.length === 1 ? (values[0] ?? '') : values] as const
  })
  return Object.fromEntries(fields)
}
