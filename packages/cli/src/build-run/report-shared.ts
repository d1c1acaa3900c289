import { formatCount, formatPercent, formatTable, type Column } from '../output/format-table.ts'
import { styleResult } from '../output/terminal.ts'
import type { Load } from './compare-loads.ts'
import type { WrittenRosetta } from './write-shared.ts'

/** Makes the part of `pack build --json` about a shared header. */
export function describeShared(shared: WrittenRosetta): unknown {
  return {
    domain: shared.domain,
    file: shared.file,
    status: shared.status,
    entries: shared.entries,
    rosetta_tokens: shared.rosettaTokens,
    packs: shared.packs,
    loads: shared.loads,
    pays_from: shared.paysFrom,
  }
}

const COLUMNS: readonly Column[] = [
  { heading: 'packs loaded', align: 'right' },
  { heading: 'source', align: 'right' },
  { heading: 'apart', align: 'right' },
  { heading: 'shared', align: 'right' },
  { heading: 'net saved apart', align: 'right' },
  { heading: 'shared', align: 'right' },
]

/** Formats what the header brings to whoever loads some of the packs or all, and from how many on it pays. */
export function formatShared({
  domain,
  packs,
  entries,
  rosettaTokens,
  loads,
  paysFrom,
}: WrittenRosetta): string[] {
  const title = `one header for ${count(packs.length, 'pack')} of ${domain}: ${formatCount(entries)} entries, ${formatCount(rosettaTokens)} tokens`
  if (loads.length === 0) return [title]
  const rows = loads.filter(({ packs: loaded }) => isShown(loaded, loads.length, paysFrom)).map(formatLoad)
  const [heading = '', ...lines] = formatTable(COLUMNS, rows)
  return [title, styleResult('bold', heading), ...lines, explainBreakEven(loads, paysFrom)]
}

/** One pack, two, four, eight, …, all, and the first with which sharing is ahead. */
function isShown(loaded: number, all: number, paysFrom: number | null): boolean {
  return (loaded & (loaded - 1)) === 0 || loaded === all || loaded === paysFrom
}

function formatLoad({ packs, source, apart, shared }: Load): string[] {
  return [
    ...[packs, source, apart, shared].map(formatCount),
    formatPercent(saved(apart, source)),
    formatPercent(saved(shared, source)),
  ]
}

function explainBreakEven(loads: readonly Load[], paysFrom: number | null): string {
  const all = loads.at(-1)!
  if (paysFrom === null) {
    return `sharing does not pay: ${count(all.packs, 'pack')} together take ${formatCount(all.shared)} tokens, built apart ${formatCount(all.apart)}`
  }
  return `sharing pays from ${count(paysFrom, 'pack')} on, loaded in the order above`
}

function saved(paid: number, source: number): number {
  return source === 0 ? 0 : 100 * (1 - paid / source)
}

function count(number: number, noun: string): string {
  return `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`
}
