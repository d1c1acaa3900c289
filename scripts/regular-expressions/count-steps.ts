import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { Compiler, type Assertion, type Instruction, type Leaf } from './compile-expression.ts'

/** Thrown where a search takes more than `mostSteps`. */
class TooManySteps extends Error {}

/**
 * A regular expression as the program of a backtracking machine, like that of JavaScript engines, which counts its steps:
 * each character it compares, each branch it takes and each place it returns to.
 *
 * It has none of the shortcuts of an engine (no search for a literal, no anchored start), so it never counts fewer.
 */
export class StepCounter {
  /** Patterns of one character, in the order of the expression. */
  readonly leaves: readonly Leaf[]
  readonly pattern: AST.Pattern
  readonly isUnicode: boolean
  private readonly flags: AST.Flags
  private readonly program: readonly Instruction[]
  private readonly registers: number
  private readonly tests: readonly RegExp[]
  /** 1 for characters of the basic plane that a leaf matches, 2 for others; 0 where that was not asked. */
  private readonly memo: readonly Uint8Array[]
  private characters: readonly number[] = []
  private steps = 0
  private mostSteps = 0

  constructor(source: string, flags: string) {
    const parser = new RegExpParser()
    this.flags = parser.parseFlags(flags)
    this.isUnicode = this.flags.unicode || this.flags.unicodeSets
    const { unicode, unicodeSets } = this.flags
    this.pattern = parser.parsePattern(source, 0, source.length, { unicode, unicodeSets })
    const compiler = new Compiler()
    compiler.addAlternatives(this.pattern.alternatives, false)
    compiler.add({ op: 'done' })
    this.program = compiler.program
    this.registers = compiler.registers
    this.leaves = compiler.leaves
    const leafFlags = flags.replace(/[dgmy]/g, '')
    this.tests = this.leaves.map(({ raw }) => new RegExp(`^(?:${raw})$`, leafFlags))
    this.memo = this.leaves.map(() => new Uint8Array(0x10000))
  }

  /** Whether a pattern of one character matches this character, by its number. */
  matches(leaf: number, character: number): boolean {
    const memo = this.memo[leaf]!
    const known = memo[character]
    if (known) return known === 1
    const result = this.tests[leaf]!.test(String.fromCodePoint(character))
    if (known === 0) memo[character] = result ? 1 : 2
    return result
  }

  /**
   * Counts the steps of all matches of a text. A flag `g` or `y` searches on behind each match: a sticky expression is tried
   * at each character that no match took, as a scanner would. Without them the first match ends the search.
   *
   * @returns the steps, `Infinity` beyond `mostSteps`, and the first match
   */
  count(text: string, mostSteps = 300_000_000): { steps: number; match: [number, number] | undefined } {
    this.characters = readCharacters(text, this.isUnicode)
    this.steps = 0
    this.mostSteps = mostSteps
    let match: [number, number] | undefined
    const registers = Array.from({ length: this.registers }, () => -1)
    try {
      for (let start = 0; start <= this.characters.length;) {
        const end = this.run(this.program, start, registers)
        if (end >= 0) match ??= [start, end]
        if (end >= 0 && !this.flags.global && !this.flags.sticky) break
        start = Math.max(end, start + 1)
      }
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error
      return { steps: Infinity, match }
    }
    return { steps: this.steps, match }
  }

  /** @returns the end of the match at a place, or -1 */
  private run(program: readonly Instruction[], start: number, registers: number[]): number {
    const { characters, mostSteps } = this
    // Pairs: a place of the program and one of the text, or below 0 a register and its value before.
    const stack: number[] = []
    let { steps } = this
    let at = start
    let counter = 0
    for (;;) {
      if (++steps > mostSteps) throw new TooManySteps()
      const instruction = program[counter++]!
      let isMatch = true
      switch (instruction.op) {
        case 'leaf': {
          // Leaves of a look-behind have a negative number: they read backwards.
          const isBackward = instruction.leaf < 0
          const place = isBackward ? at - 1 : at
          isMatch =
            place >= 0 &&
            place < characters.length &&
            this.matches(isBackward ? -1 - instruction.leaf : instruction.leaf, characters[place]!)
          if (isMatch) at += isBackward ? -1 : 1
          break
        }
        case 'split':
          stack.push(instruction.second, at)
          counter = instruction.first
          break
        case 'jump':
          counter = instruction.to
          break
        case 'mark':
        case 'save':
          stack.push(-1 - instruction.register, registers[instruction.register]!)
          registers[instruction.register] = at
          break
        case 'advanced':
          isMatch = registers[instruction.register] !== at
          break
        case 'again': {
          const from = registers[instruction.start]!
          const to = registers[instruction.end]!
          for (let place = from; isMatch && place >= 0 && place < to; place++) {
            steps++
            isMatch = characters[place] === characters[at++]
          }
          break
        }
        case 'assert':
          isMatch = this.isAsserted(instruction.assertion, at)
          break
        case 'look':
          this.steps = steps
          isMatch = this.run(instruction.program, at, registers) >= 0 !== instruction.isNegated
          steps = this.steps
          break
        case 'done':
          this.steps = steps
          return at
      }
      while (!isMatch) {
        if (stack.length === 0) {
          this.steps = steps
          return -1
        }
        if (++steps > mostSteps) throw new TooManySteps()
        const value = stack.pop()!
        const place = stack.pop()!
        if (place < 0) {
          registers[-1 - place] = value
          continue
        }
        counter = place
        at = value
        isMatch = true
      }
    }
  }

  private isAsserted(assertion: Assertion, at: number): boolean {
    const { characters, flags } = this
    if (assertion.kind === 'word')
      return (isWord(characters[at - 1]) !== isWord(characters[at])) !== assertion.negate
    if (assertion.kind === 'start') return at === 0 || (flags.multiline && isLineEnd(characters[at - 1]))
    return at === characters.length || (flags.multiline && isLineEnd(characters[at]))
  }
}

function readCharacters(text: string, isUnicode: boolean): readonly number[] {
  const characters: number[] = []
  for (let at = 0; at < text.length; at++) {
    const character = isUnicode ? text.codePointAt(at)! : text.charCodeAt(at)
    characters.push(character)
    if (character > 0xffff) at++
  }
  return characters
}

export function isWord(character: number | undefined): boolean {
  return character !== undefined && character < 128 && /\w/.test(String.fromCodePoint(character))
}

export function isLineEnd(character: number | undefined): boolean {
  return character === 10 || character === 13 || character === 0x2028 || character === 0x2029
}
