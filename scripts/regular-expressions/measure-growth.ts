import { hasLongRepetition, makeAttacks } from './attack-texts.ts'
import { StepCounter } from './count-steps.ts'

/** The growth of an expression on the text on which it grows most. */
export interface Growth {
  /** Steps for twice the text, divided by those for the text. */
  readonly factor: number
  /** Steps for a text of that kind. */
  readonly countSteps: (size: number) => number
  /** The beginning of the text. */
  readonly text: string
}

/** Size of the texts that are tried, in repeated units. */
const SIZE = 200
/** So few steps read no character more than once or twice: short texts grow by their start. */
const MIN_STEPS = 10 * SIZE
/** More steps than this for each unit are never linear. */
const MOST_STEPS = 10_000

/**
 * Finds the text on which the steps of an expression grow most when the text is twice as long. Growth of 2 is linear work,
 * of 4 quadratic.
 *
 * @param enough growth that ends the search for a text on which it is larger
 * @returns `undefined` for an expression without long repetitions, whose work at each character is bounded
 */
export function measureGrowth(source: string, flags: string, enough = Infinity): Growth | undefined {
  const counter = new StepCounter(source, flags)
  if (!hasLongRepetition(counter)) return undefined
  const countSteps = (text: string, size: number): number => counter.count(text, MOST_STEPS * size).steps
  const larger = makeAttacks(counter, 2 * SIZE)
  let worst = { factor: 0, index: 0, text: '' }
  let index = 0
  for (const text of makeAttacks(counter, SIZE)) {
    const before = countSteps(text, SIZE)
    const after = countSteps(larger.next().value ?? '', 2 * SIZE)
    const factor = before === Infinity ? Infinity : after / before
    if ((after >= MIN_STEPS || worst.factor === 0) && factor > worst.factor)
      worst = { factor: after >= MIN_STEPS ? factor : 0, index, text: text.slice(0, 24) }
    if (worst.factor > enough) break
    index++
  }
  return {
    factor: worst.factor,
    text: worst.text,
    countSteps: (size) => countSteps(findAttack(counter, size, worst.index), size),
  }
}

function findAttack(counter: StepCounter, size: number, index: number): string {
  let at = 0
  for (const text of makeAttacks(counter, size)) if (at++ === index) return text
  throw new Error(`there is no text ${index}`)
}
