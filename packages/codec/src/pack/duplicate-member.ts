/**
 * Returns the name of a member that an object in valid JSON has twice, in any spelling: readers
 * take the first one or the last one, and would see different documents.
 */
export function findDuplicateMember(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  for (let at = 0; at < json.length; at++) {
    const sign = json[at]
    if (sign === '{') open.push(new Set())
    else if (sign === '[') open.push(undefined)
    else if (sign === '}' || sign === ']') open.pop()
    if (sign !== '"') continue
    const start = at
    for (at = json.indexOf('"', at + 1); isEscaped(json, at); at = json.indexOf('"', at + 1));
    const names = open.at(-1)
    let next = at + 1
    while (json.charCodeAt(next) <= 32) next++
    if (names === undefined || json[next] !== ':') continue
    const name = JSON.parse(json.slice(start, at + 1)) as string
    if (names.has(name)) return name
    names.add(name)
  }
  return undefined
}

function isEscaped(json: string, at: number): boolean {
  let first = at
  while (json[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}
