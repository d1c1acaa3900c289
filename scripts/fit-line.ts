/** A measured document. */
export interface Sample {
  readonly folder: string
  /** Index of its size. */
  readonly size: number
  readonly repetition: number
  /** Net savings in percent. */
  readonly net: number
}

/** Net savings = offset of the size + slope × repetition, give or take `spread` × (savings + margin). */
export interface FittedLine {
  readonly slope: number
  readonly offsets: readonly number[]
  readonly spread: number
  readonly holds: (sample: Sample) => boolean
}

/**
 * Fits one slope and an offset for each size by least squares, and the least spread that holds `coverage` of the samples.
 * A size without samples has the offset of the size before it.
 */
export function fitLine(
  samples: readonly Sample[],
  sizes: number,
  coverage: number,
  margin: number,
): FittedLine {
  const groups = Map.groupBy(samples, ({ size }) => size)
  let covariance = 0
  let variance = 0
  for (const group of groups.values()) {
    const center = { x: mean(group.map((each) => each.repetition)), y: mean(group.map((each) => each.net)) }
    for (const { repetition, net } of group) {
      covariance += (repetition - center.x) * (net - center.y)
      variance += (repetition - center.x) ** 2
    }
  }
  const slope = variance > 0 ? covariance / variance : 0
  const offsets: number[] = []
  for (let size = 0; size < sizes; size++) {
    const group = groups.get(size)
    offsets.push(
      group ? mean(group.map(({ net, repetition }) => net - slope * repetition)) : (offsets.at(-1) ?? 0),
    )
  }
  const measureMiss = ({ size, repetition, net }: Sample): number => {
    const expected = Math.max(0, offsets[size]! + slope * repetition)
    return Math.abs(net - expected) / (expected + margin)
  }
  const misses = samples.map(measureMiss).sort((a, b) => a - b)
  const spread = misses[Math.ceil(coverage * misses.length) - 1] ?? 0
  return { slope, offsets, spread, holds: (sample) => measureMiss(sample) <= spread }
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}
