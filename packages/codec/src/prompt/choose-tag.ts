/** Letters of other scripts that look like Latin ones, once a text is in compatibility form. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: '\u0430',
  c: '\u0441',
  e: '\u0435',
  g: '\u0261\u050d',
  k: '\u043a',
  p: '\u0440',
  s: '\u0455',
}
/**
 * What may occur in a tag: everything except brackets, digits, `!` of comments such as
 * `<!-- pack:keep -->`, and letters that are Latin, Greek or Cyrillic.
 */
const GAP = '[^a-z\\d!<>\u2039\u3008\u0261\u0370-\u050f]*'

/**
 * Returns the first of `name`, `name-2`, `name-3` … with which no tag in `texts` begins, in any
 * spelling.
 *
 * @param name lower-case letters of `a c e g k p s`
 * @example
 * chooseTag('pack', 'text') // 'pack'
 * chooseTag('pack', '</PACK>') // 'pack-2'
 */
export function chooseTag(name: string, texts: string): string {
  const taken = new Set<string>()
  for (const [, digits] of texts.normalize('NFKD').matchAll(findSpellings(name))) {
    const number = `-${digits!.replace(/\D+/g, '')}`
    for (let end = 2; end <= number.length; end++) taken.add(number.slice(0, end))
    taken.add('')
  }
  let number = ''
  for (let next = 2; taken.has(number); next++) number = `-${next}`
  return `${name}${number}`
}

/**
 * Every spelling that a model could take for a tag of this name, in text in compatibility form,
 * with the first digits of its number. Takes linear time: a gap ends at anything that can follow
 * it, and at the next bracket.
 */
function findSpellings(name: string): RegExp {
  const letters = Array.from(name, (letter) => `${GAP}[${letter}${LOOKALIKES[letter] ?? ''}]`)
  return RegExp(`(?:[<\u2039\u3008]|&lt)${letters.join('')}((?:${GAP}\\d){0,8})`, 'gi')
}

/** Returns a text as the value of an attribute in double quotes. */
export function cleanAttribute(text: string): string {
  return text.replace(/[\s"<>&\p{Cc}]+/gu, ' ').trim()
}
