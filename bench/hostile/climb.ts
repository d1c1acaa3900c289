import { ALPHABETS, type AlphabetName } from './alphabets.ts'
import { FAMILIES } from './families.ts'
import { type Recipe, WRAPS, type WrapName } from './generate-text.ts'
import { Random } from '../random.ts'
import { STRUCTURES, type StructureName } from './structures.ts'
import type { TextTimer, Timing } from './text-timer.ts'

/** The slowest recipe that a search found. */
export interface SearchRow {
  readonly name: string
  readonly bytes: number
  readonly ratio: number
  readonly recipe: Recipe
}

export interface SearchOptions {
  readonly seed: number
  /** Texts to time. */
  readonly tries: number
}

/** Recipes that the search goes on from. */
const BEAM = 4
/** First so many random recipes are tried. */
const RANDOM_PART = 0.4

/**
 * Searches for the recipe whose text takes longest, by hill climbing: random recipes first, then changed ones of the
 * slowest so far. A slow one is timed twice, as
 * the first time may be a disturbance of the machine.
 */
export async function climb(
  timer: TextTimer,
  timing: Timing,
  { seed, tries }: SearchOptions,
): Promise<SearchRow> {
  const random = new Random(seed)
  let best: { recipe: Recipe; ratio: number }[] = []
  for (let tried = 0; tried < tries; tried++) {
    const isRandom = tried < tries * RANDOM_PART || random.below(10) === 0
    const recipe = isRandom ? makeRecipe(random) : mutate(random.pick(best).recipe, random)
    const ratio = await timer.time(recipe, timing)
    if (ratio > MISTRUSTED) best.push({ recipe, ratio: Math.min(ratio, await timer.time(recipe, timing)) })
    else best.push({ recipe, ratio })
    best = best.toSorted((a, b) => b.ratio - a.ratio).slice(0, BEAM)
  }
  return { name: timing.name, bytes: timing.bytes, ...best[0]! }
}

/** A text that takes longer than this is timed twice. */
const MISTRUSTED = 3

const SIZES = [1, 2, 3, 5, 8, 13, 20, 40, 80, 150, 250, 600, 1500, 4000]
const LETTERS = [1, 2, 3, 4, 6, 10, 20, 60, 250, 2000]
const COPIES = [1, 2, 3, 4, 10]
const ENDS = ['\n', '\n\n', '', ' ', '\r\n', '。', '.', '|', '\t', '  \n']

function makeRecipe(random: Random): Recipe {
  return random.below(3) === 0 ? mutate(random.pick(Object.values(FAMILIES)), random) : makeParts(random)
}

/** Changes one or two parts of a recipe. */
function mutate(recipe: Recipe, random: Random): Recipe {
  const other = makeParts(random)
  const keys = Object.keys(other) as (keyof Recipe)[]
  const first = random.pick(keys)
  const second = random.pick(keys)
  return { ...recipe, [first]: other[first], ...(random.below(2) === 0 && { [second]: other[second] }) }
}

function makeParts(random: Random): Recipe {
  return {
    seed: random.below(2 ** 31),
    alphabet: random.pick(Object.keys(ALPHABETS) as AlphabetName[]),
    letters: random.pick(LETTERS),
    structure: random.pick(Object.keys(STRUCTURES) as StructureName[]),
    size: random.pick(SIZES),
    copies: random.pick(COPIES),
    end: random.pick(ENDS),
    wrap: random.below(2) === 0 ? 'none' : random.pick(Object.keys(WRAPS) as WrapName[]),
  }
}
