/**
 * What may occur in a tag: everything except brackets, digits, `!` of comments such as
 * `<!-- pack:keep -->`, and letters that are Latin, Greek or Cyrillic.
 */
const GAP = '[^a-z\\d!<>\u2039\u3008\u0261\u0370-\u04ff]*'

/**
 * Returns the first of `name`, `name-2`, `name-3` … with which no tag in `texts` begins, in any
 * spelling.
 *
 * @param letters of the name, each with one of another script that looks like it in compatibility
 *   form
 * @example
 * chooseTag('p\u0440a\u0430c\u0441k\u043a', '</PACK>') // 'pack-2'
 */
export function chooseTag(letters: string, texts: string): string {
  // Takes linear time: a gap ends at anything that can follow it, and at the next bracket.
  const spelling = letters.replace(/../g, `${GAP}[$&]`)
  const tags = RegExp(`(?:[<\u2039\u3008]|&lt)${spelling}((?:${GAP}\\d){0,8})`, 'gi')
  const taken = new Set<string>()
  for (const [, digits] of texts.normalize('NFKD').matchAll(tags)) {
    const number = digits!.replace(/\D+/g, '')
    for (let end = 0; end <= number.length; end++) taken.add(number.slice(0, end))
  }
  let number = ''
  for (let next = 2; taken.has(number); next++) number = `${next}`
  return letters.replace(/(.)./g, '$1') + (number && `-${number}`)
}

/**
 * Returns a text as the value of an attribute in double quotes, without characters that end it or
 * change the direction in which the line is shown.
 */
export function cleanAttribute(text: string): string {
  return text.replace(/[\s"<>&\p{Cc}\p{Bidi_C}]+/gu, ' ').trim()
}
