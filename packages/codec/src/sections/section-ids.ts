/** Most code points of an id, without the number that makes it unique. */
const MAX_ID = 200

/**
 * Letters, marks, digits, `_`, `.`, `:` and `-`. One of them is a letter, a digit or `_`: an id is a part of URLs, where `.` and
 * `..` have a meaning.
 */
const ID = String.raw`(?=[^{}]*[\p{L}\p{Nd}_])[\p{L}\p{M}\p{Nd}_.:\-]{1,200}`
/** An id at the end of a heading: `{#id}`, or the comment of MDX that some sites use for the same, `{/*id*\/}`. */
const EXPLICIT = new RegExp(String.raw`(?<!\\)\{(?:#(${ID})|/\* ?(${ID}) ?\*/)\}$`, 'u')
/** UTF-16 units that the longest explicit id can take. */
const LONGEST_EXPLICIT = 2 * MAX_ID + 9

/** Splits a heading into its words and the explicit id after them. */
export function readExplicitId(heading: string): { readonly words: string; readonly id: string | undefined } {
  const words = heading.trimEnd()
  const found = words.endsWith('}') ? EXPLICIT.exec(words.slice(-LONGEST_EXPLICIT)) : null
  if (found === null) return { words, id: undefined }
  return { words: words.slice(0, -found[0].length), id: found[1] ?? found[2] }
}

/**
 * Creates a function that returns an id for each heading of a text: the explicit one, or one made of the title as
 * GitHub forms anchors. It adds a number to an id that is taken.
 *
 * The next number of each id is kept. A number that is tried in vain is an id that exists, and it is tried for one
 * id only, so all ids together take linear time.
 */
export function createIdAssigner(): (title: string, explicit: string | undefined) => string {
  const taken = new Set<string>()
  const next = new Map<string, number>()
  return (title, explicit) => {
    const base = explicit ?? formAnchor(title)
    let id = base
    if (taken.has(base)) {
      let number = next.get(base) ?? 1
      while (taken.has(`${base}-${number}`)) number++
      next.set(base, number + 1)
      id = `${base}-${number}`
    }
    taken.add(id)
    return id
  }
}

function formAnchor(title: string): string {
  const anchor = title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{Nd}_ -]/gu, '')
    .replaceAll(' ', '-')
  const cut = Array.from(anchor.slice(0, 2 * MAX_ID))
    .slice(0, MAX_ID)
    .join('')
  return cut === '' ? 'section' : cut
}
