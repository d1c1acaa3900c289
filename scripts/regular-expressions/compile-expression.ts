import type { AST } from '@eslint-community/regexpp'

/** A pattern that matches one character: a letter, a class or an escape such as `\s`. */
export type Leaf = AST.Character | AST.CharacterClass | AST.CharacterSet | AST.ExpressionCharacterClass

export type Assertion = Exclude<AST.Assertion, AST.LookaroundAssertion>

export type Instruction =
  | { readonly op: 'leaf'; readonly leaf: number }
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'jump'; to: number }
  /** Keeps the place at which an iteration began. */
  | { readonly op: 'mark'; readonly register: number }
  /** Fails where the iteration matched nothing, which ECMAScript does not repeat. */
  | { readonly op: 'advanced'; readonly register: number }
  | { readonly op: 'save'; readonly register: number }
  | { readonly op: 'again'; readonly start: number; readonly end: number }
  | { readonly op: 'assert'; readonly assertion: Assertion }
  | { readonly op: 'look'; readonly program: readonly Instruction[]; readonly isNegated: boolean }
  | { readonly op: 'done' }

/** Instructions of one shape are read several times as fast. */
const BLANK = {
  op: '',
  leaf: 0,
  first: 0,
  second: 0,
  to: 0,
  register: 0,
  start: 0,
  end: 0,
  assertion: undefined,
  program: undefined,
  isNegated: false,
}

export class Compiler {
  readonly program: Instruction[] = []
  readonly leaves: Leaf[]
  registers = 0
  private readonly groups: Map<AST.CapturingGroup, number>

  constructor(parent?: Compiler) {
    this.leaves = parent?.leaves ?? []
    this.groups = parent?.groups ?? new Map<AST.CapturingGroup, number>()
    this.registers = parent?.registers ?? 0
  }

  add<T extends Instruction>(instruction: T): T {
    const made = { ...BLANK, ...instruction }
    this.program.push(made)
    return made
  }

  addAlternatives(alternatives: readonly AST.Alternative[], isBackward: boolean): void {
    const ends: { to: number }[] = []
    for (const [index, { elements }] of alternatives.entries()) {
      const isLast = index === alternatives.length - 1
      const split = isLast ? undefined : this.add({ op: 'split', first: this.program.length + 1, second: 0 })
      for (const element of isBackward ? elements.toReversed() : elements)
        this.addElement(element, isBackward)
      if (split === undefined) break
      ends.push(this.add({ op: 'jump', to: 0 }))
      split.second = this.program.length
    }
    for (const end of ends) end.to = this.program.length
  }

  private addElement(element: AST.Element, isBackward: boolean): void {
    switch (element.type) {
      case 'Group':
        this.addAlternatives(element.alternatives, isBackward)
        break
      case 'CapturingGroup': {
        const register = this.findGroup(element)
        this.add({ op: 'save', register: isBackward ? register + 1 : register })
        this.addAlternatives(element.alternatives, isBackward)
        this.add({ op: 'save', register: isBackward ? register : register + 1 })
        break
      }
      case 'Backreference': {
        if (Array.isArray(element.resolved) || isBackward) throw new Error(`cannot count ${element.raw}`)
        const start = this.findGroup(element.resolved)
        this.add({ op: 'again', start, end: start + 1 })
        break
      }
      case 'Assertion':
        if (element.kind === 'lookahead' || element.kind === 'lookbehind') {
          const inner = new Compiler(this)
          inner.addAlternatives(element.alternatives, element.kind === 'lookbehind')
          inner.add({ op: 'done' })
          this.registers = inner.registers
          this.add({ op: 'look', program: inner.program, isNegated: element.negate })
        } else this.add({ op: 'assert', assertion: element })
        break
      case 'Quantifier':
        this.addQuantifier(element, isBackward)
        break
      default: {
        const known = this.leaves.findIndex(({ raw }) => raw === element.raw)
        const leaf = known < 0 ? this.leaves.push(element) - 1 : known
        this.add({ op: 'leaf', leaf: isBackward ? -1 - leaf : leaf })
      }
    }
  }

  private addQuantifier({ element, min, max, greedy }: AST.Quantifier, isBackward: boolean): void {
    for (let index = 0; index < min; index++) this.addElement(element, isBackward)
    const isEndless = max === Infinity
    const mayBeEmpty = 'alternatives' in element || element.type === 'Backreference'
    const splits: { first: number; second: number }[] = []
    for (let index = min; index < (isEndless ? min + 1 : max); index++) {
      const top = this.program.length
      splits.push(this.add({ op: 'split', first: top + 1, second: top + 1 }))
      const register = mayBeEmpty ? this.registers++ : 0
      if (mayBeEmpty) this.add({ op: 'mark', register })
      this.addElement(element, isBackward)
      if (mayBeEmpty) this.add({ op: 'advanced', register })
      if (isEndless) this.add({ op: 'jump', to: top })
    }
    for (const split of splits) split[greedy ? 'second' : 'first'] = this.program.length
  }

  private findGroup(group: AST.CapturingGroup): number {
    const known = this.groups.get(group)
    if (known !== undefined) return known
    const register = this.registers
    this.registers += 2
    this.groups.set(group, register)
    return register
  }
}
