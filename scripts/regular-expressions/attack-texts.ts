import type { AST } from '@eslint-community/regexpp'
import { isLineEnd, isWord, type StepCounter } from './count-steps.ts'

/** White space, quotes, brackets, marks, letters and digits of several scripts, and characters that programs stumble over. */
export const KINDS: readonly string[] = [
  ' \t\n\r\v\f\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\ufeff',
  `'"\`´«»‘’“”„‹›「」『』`,
  '()[]{}<>⟨⟩【】（）',
  '.,;:!?-_/\\|#*+=~^&%$@…·、。！？：・ー–—‑',
  'aAsxzZ09éßſжΩאع中あア한กक²Ⅷ',
  '\u0301\u0304\u02bc\u3099\u093c\u200d\ufe0f',
  '\0\u0007\u001b\u007f\u00ad\u200b\u202e\ue000\ufffe😀𝒜𠀀',
  '\ud800',
  '\udc00',
].flatMap((characters) => Array.from(characters))

/** Repetitions that count as bounded: at most this many characters are read twice. */
const SMALL = 10

/**
 * Makes texts on which a regular expression is slow, if it can be: every pair of characters that it tells apart, and the
 * shortest text that leads to each of its repetitions, repeated and with several ends.
 *
 * @param count how often a unit is repeated
 */
export function* makeAttacks(counter: StepCounter, count: number): Generator<string, undefined> {
  const characters = tellApart(counter)
  const ends = ['', '\n', characters.find((one) => !matchesAny(counter, one)) ?? '\0']
  for (const one of characters) {
    for (const end of ends) yield one.repeat(count) + end
    for (const other of characters) {
      if (other === one) continue
      yield (one + other).repeat(count / 2)
      yield one.repeat(count) + other
      yield other + one.repeat(count) + other
      yield one.repeat(count / 2) + other.repeat(count / 2) + ends[2]!
    }
  }
  for (const { lead, body } of findRepetitions(counter)) {
    const unit = lead + body
    for (const end of ends) {
      yield unit.repeat(count / 4) + end
      yield lead.repeat(count / 4) + end
      yield lead + body.repeat(count / 2) + end
      yield (lead + body.repeat(2)).repeat(count / 4) + end
    }
    for (const end of ends.slice(1)) {
      for (const one of characters) {
        yield lead + one.repeat(count) + end
        yield lead + (body + one).repeat(count / 2) + end
        yield (lead + one).repeat(count / 4) + end
        yield (unit + one).repeat(count / 4) + end
        yield unit.repeat(count / 4) + one.repeat(count / 2) + end
      }
    }
  }
}

/** Whether a repetition may read more than a few characters again. Without any, each start of a search has bounded work. */
export function hasLongRepetition(counter: StepCounter): boolean {
  return findRepetitions(counter).length > 0
}

/** One character of each kind that no part of the expression tells apart from another. */
function tellApart(counter: StepCounter): string[] {
  const found = new Map<string, string>()
  const own = counter.leaves.map((leaf) => findMember(counter, leaf))
  for (const character of [...KINDS, ...own]) {
    const code = counter.isUnicode ? character.codePointAt(0)! : character.charCodeAt(0)
    const key = [...counter.leaves.keys()].map((leaf) => (counter.matches(leaf, code) ? 1 : 0)).join('')
    const kind = `${key} ${isWord(code)} ${isLineEnd(code)}`
    if (!found.has(kind)) found.set(kind, character)
  }
  return [...found.values()].slice(0, 12)
}

function matchesAny(counter: StepCounter, character: string): boolean {
  const code = character.codePointAt(0)!
  return [...counter.leaves.keys()].some((leaf) => counter.matches(leaf, code))
}

/** A repetition without a small bound: the shortest text before it, and one of its iterations. */
interface Repetition {
  readonly lead: string
  readonly body: string
}

function findRepetitions(counter: StepCounter): Repetition[] {
  const found: Repetition[] = []
  const visit = (alternatives: readonly AST.Alternative[], before: string): void => {
    for (const { elements } of alternatives) {
      let lead = before
      for (const element of elements) {
        const inner = element.type === 'Quantifier' ? element.element : element
        if ('alternatives' in inner) visit(inner.alternatives, lead)
        if (element.type === 'Quantifier' && element.max > SMALL)
          found.push({ lead, body: writeShortest(counter, element.element) })
        lead += writeShortest(counter, element)
      }
    }
  }
  visit(counter.pattern.alternatives, '')
  return found
}

/** Writes a short text that an element matches. */
function writeShortest(counter: StepCounter, element: AST.Element): string {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives[0]!.elements.map((inner) => writeShortest(counter, inner)).join('')
    case 'Quantifier':
      return writeShortest(counter, element.element).repeat(element.min)
    case 'Assertion':
    case 'Backreference':
      return ''
    default:
      return findMember(counter, element)
  }
}

function findMember(counter: StepCounter, leaf: { readonly raw: string }): string {
  const index = counter.leaves.findIndex(({ raw }) => raw === leaf.raw)
  const letter = ['a', 'x', '0', ...KINDS].find((one) => counter.matches(index, one.codePointAt(0)!))
  if (letter !== undefined) return letter
  for (let code = 0; code < 0x110000; code++)
    if (counter.matches(index, code)) return String.fromCodePoint(code)
  return ''
}
