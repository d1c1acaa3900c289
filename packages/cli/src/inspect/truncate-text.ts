/** Place of a text to cut at: the one asked for, or the one before where that is inside a surrogate pair. */
export function findCutOffset(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at
}

/** Gives a text of at most so many UTF-16 units, and an ellipsis behind one that was cut. */
export function truncateText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, findCutOffset(text, most))}…`
}
