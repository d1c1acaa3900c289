import type { Account, Quota, QuotaState } from '@packs/catalog'
import fc from 'fast-check'
import { expect } from 'vitest'
import { makeAccount } from '../../../test-kit/test/make-version.ts'

export type QuotaReplicas = readonly [Quota, Quota]

/** Expected state of the store: requests per account and day, and changed accounts. */
interface QuotaModel {
  readonly prefix: string
  readonly days: Map<string, number>
  readonly changes: Map<number, Pick<Account, 'tier' | 'daily'>>
  /** Milliseconds since 1970. */
  now: number
}

type QuotaCommand = fc.AsyncCommand<QuotaModel, QuotaReplicas>

/** Creates bursts, peeks, changed limits and passing time, for several accounts on two replicas. */
export function createQuotaCommands(): fc.Arbitrary<Iterable<QuotaCommand>> {
  const owner = fc.nat(2)
  const replica = fc.constantFrom<0 | 1>(0, 1)
  return fc.commands(
    [
      fc
        .tuple(
          owner,
          replica,
          fc.integer({ min: 1, max: 15 }),
          fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 12 })),
        )
        .map(([...args]) => new Take(...args)),
      fc.tuple(owner, replica).map(([...args]) => new Peek(...args)),
      fc
        .tuple(owner, fc.constantFrom('free' as const, 'pro' as const), fc.option(fc.nat(30), { nil: null }))
        .map(([account, tier, daily]) => new Change(account, { tier, daily })),
      fc.integer({ min: 1, max: 14 * 60 }).map((minutes) => new Pass(minutes)),
    ],
    { maxCommands: 25 },
  )
}

class Take implements QuotaCommand {
  readonly owner: number
  readonly replica: 0 | 1
  readonly count: number
  /** Requests of each charge. */
  readonly size: number

  constructor(owner: number, replica: 0 | 1, count: number, size: number) {
    this.owner = owner
    this.replica = replica
    this.count = count
    this.size = size
  }

  check = (): boolean => true

  async run(model: QuotaModel, real: QuotaReplicas): Promise<void> {
    const account = findAccount(model, this.owner)
    const now = new Date(model.now)
    const states = await Promise.all(
      Array.from({ length: this.count }, () => real[this.replica].take(account, now, this.size)),
    )
    for (const state of states) {
      const before = model.days.get(nameDay(model, this.owner)) ?? 0
      const allowed = before + this.size <= limitOf(account)
      if (allowed) model.days.set(nameDay(model, this.owner), before + this.size)
      expectState(state, model, this.owner, allowed)
    }
  }

  toString = (): string => `take ${this.count} × ${this.size} of ${this.owner} on ${this.replica}`
}

class Peek implements QuotaCommand {
  readonly owner: number
  readonly replica: 0 | 1

  constructor(owner: number, replica: 0 | 1) {
    this.owner = owner
    this.replica = replica
  }

  check = (): boolean => true

  async run(model: QuotaModel, real: QuotaReplicas): Promise<void> {
    const account = findAccount(model, this.owner)
    const state = await real[this.replica].peek(account, new Date(model.now))
    const used = model.days.get(nameDay(model, this.owner)) ?? 0
    expectState(state, model, this.owner, used < limitOf(account))
  }

  toString = (): string => `peek ${this.owner} on ${this.replica}`
}

class Change implements QuotaCommand {
  readonly owner: number
  readonly change: Pick<Account, 'tier' | 'daily'>

  constructor(owner: number, change: Pick<Account, 'tier' | 'daily'>) {
    this.owner = owner
    this.change = change
  }

  check = (): boolean => true

  run(model: QuotaModel): Promise<void> {
    model.changes.set(this.owner, this.change)
    return Promise.resolve()
  }

  toString = (): string => `change ${this.owner} to ${JSON.stringify(this.change)}`
}

class Pass implements QuotaCommand {
  readonly minutes: number

  constructor(minutes: number) {
    this.minutes = minutes
  }

  check = (): boolean => true

  run(model: QuotaModel): Promise<void> {
    model.now += this.minutes * 60_000
    return Promise.resolve()
  }

  toString = (): string => `pass ${this.minutes} minutes`
}

function findAccount({ prefix, changes }: QuotaModel, owner: number): Account {
  return makeAccount({ id: `${prefix}_${owner}`, ...changes.get(owner) })
}

/** The rule in its simplest form. */
function limitOf({ tier, daily }: Account): number {
  if (daily !== null) return daily
  return tier === 'pro' ? 1000 : 10
}

function nameDay({ now }: QuotaModel, owner: number): string {
  const date = new Date(now)
  return `${owner} ${date.getUTCFullYear()} ${date.getUTCMonth()} ${date.getUTCDate()}`
}

function expectState(state: QuotaState, model: QuotaModel, owner: number, allowed: boolean): void {
  const limit = limitOf(findAccount(model, owner))
  const used = model.days.get(nameDay(model, owner)) ?? 0
  const dayMs = 24 * 60 * 60 * 1000
  expect(state).toEqual({
    limit,
    used,
    remaining: used > limit ? 0 : limit - used,
    resetAt: new Date((Math.floor(model.now / dayMs) + 1) * dayMs),
    allowed,
  })
}
