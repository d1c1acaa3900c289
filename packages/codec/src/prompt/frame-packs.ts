/** What a frame says about its content. */
export interface FrameNames {
  readonly title?: string | undefined
  readonly slug?: string | undefined
}

/** Tells a model to read the terms. */
export const INSTRUCTION: string =
  'Read every term below as its expansion, listed as term=expansion after [DECODE]. Answer in plain words.\n'

/** Returns the frames around the contents of several packs, in which no term may match; empty for a single pack. */
export function listFrames(packs: readonly FrameNames[]): string {
  if (packs.length < 2) return ''
  const empty = packs.map(() => '')
  // The name of the frames may have a number.
  return `${frameContents(packs, empty, '')}-0123456789`
}

/**
 * Writes a prompt: the instruction and the header, if there is one, then each content in a frame whose name occurs in
 * no content. A single content stands without a frame.
 *
 * @param above stands above a single content
 */
export function framePacks(
  packs: readonly FrameNames[],
  contents: readonly string[],
  rosetta: string | undefined,
  above = '',
): string {
  const head = rosetta === undefined ? '' : `${INSTRUCTION}${rosetta}\n\n`
  return head + (packs.length === 1 ? above + contents[0]! : frameContents(packs, contents, head))
}

/** Writes each content in a frame whose name occurs in no content and no title, nor in the text `before` the frames. */
export function frameContents(
  packs: readonly FrameNames[],
  contents: readonly string[],
  before: string,
): string {
  const titles = packs.map(({ title, slug }) =>
    (title ?? slug ?? '').replace(/[\s"<>&\p{Cc}]+/gu, ' ').trim(),
  )
  const frame = chooseFrame([before, ...contents, ...titles].join('\n'))
  return contents
    .map((content, index) => {
      const title = titles[index] && ` title="${titles[index]}"`
      return `<${frame}${title}>\n${content}\n</${frame}>\n`
    })
    .join('')
}

/** Returns the first of `pack`, `pack-2`, `pack-3` … with which no tag in `texts` begins. */
function chooseFrame(texts: string): string {
  const taken = new Set<string>()
  for (const [tag] of texts.matchAll(/(?<=<\/?)pack(-\d*)?/g))
    for (let end = 4; end <= tag.length; end++) taken.add(tag.slice(0, end))
  let name = 'pack'
  for (let number = 2; taken.has(name); number++) name = `pack-${number}`
  return name
}
