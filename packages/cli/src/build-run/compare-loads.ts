/** Tokens of the first packs of a domain, loaded together: as sources, built apart, and with one header. */
export interface Load {
  readonly packs: number
  readonly source: number
  /** Contents, each with its own header. */
  readonly apart: number
  /** Contents, and once the header that they need. */
  readonly shared: number
}

/** Tokens of a pack built both ways. `header` is what it and all packs before it need once. */
export interface LoadedPack {
  readonly source: number
  readonly apart: number
  readonly content: number
  readonly header: number
}

/** Sums up what the first pack takes, the first two, and so on. */
export function sumLoads(packs: readonly LoadedPack[]): Load[] {
  let [source, apart, content] = [0, 0, 0]
  return packs.map((pack, place) => {
    source += pack.source
    apart += pack.apart
    content += pack.content
    return { packs: place + 1, source, apart, shared: content + pack.header }
  })
}

/** From how many packs on one header takes fewer tokens than headers of their own; null where it does not with all. */
export function findBreakEven(loads: readonly Load[]): number | null {
  const behind = loads.findLast(({ apart, shared }) => shared >= apart)?.packs ?? 0
  return behind < loads.length ? behind + 1 : null
}
