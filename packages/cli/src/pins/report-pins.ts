import type { Pin } from '@packs/client'
import { computeSavingsPercent } from '@packs/codec/verify'
import { formatCount, formatPercent, formatTable } from '../output/format-table.ts'

/** A pin of a lock, and the one that it replaced. */
export interface ChangedPin {
  readonly slug: string
  readonly pin: Pin
  readonly before: Pin | undefined
}

/** Formats the pins as a table: version, or versions from and to; tokens and savings with the header. */
export function formatPins(changes: readonly ChangedPin[]): string[] {
  const rows = changes.map(({ slug, pin, before }) => [
    slug,
    before === undefined || before.version === pin.version
      ? pin.version
      : `${before.version} → ${pin.version}`,
    pin.range,
    formatCount(countTokens(pin)),
    formatPercent(computeSavings(pin)),
    pin.signer ?? 'unsigned',
  ])
  return formatTable(['pack', 'version', 'range', '>tokens', '>saved', 'signer'], rows)
}

/** Returns a pin as it is in the JSON of commands. */
export function describePin({ slug, pin, before }: ChangedPin): Record<string, unknown> {
  const status = before === undefined ? 'added' : isSame(pin, before) ? 'unchanged' : 'changed'
  const { signer = null } = pin
  return {
    slug,
    status,
    ...pin,
    signer,
    net_savings_pct: computeSavings(pin),
    before: before?.version ?? null,
  }
}

/** Tells whether two pins are equal, range and signer included. */
export function isSame(pin: Pin, other: Pin | undefined): boolean {
  const fields = ['version', 'pack_digest', 'range', 'signer'] as const
  return other !== undefined && fields.every((field) => pin[field] === other[field])
}

/** Returns `1 pack` or `2 packs`. */
export function countPacks(count: number): string {
  return count === 1 ? '1 pack' : `${formatCount(count)} packs`
}

function countTokens({ token_count, rosetta_tokens }: Pin): number {
  return token_count + rosetta_tokens
}

function computeSavings(pin: Pin): number {
  return computeSavingsPercent(countTokens(pin), pin.uncompressed_estimate)
}
