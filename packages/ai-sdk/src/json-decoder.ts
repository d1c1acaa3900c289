import { type AnswerDecoder, createAnswerDecoder, type Rosetta } from '@packs/codec'

/** Decodes JSON text in chunks that may be cut anywhere. */
export interface JsonDecoder {
  /** Takes the next chunk and returns the JSON text that is certain. */
  push(this: void, chunk: string): string
  /**
   * Returns what is held back. The next push continues at the same position, or starts again
   * after invalid JSON.
   */
  flush(this: void): string
}

/**
 * An escape in a JSON string (RFC 8259, section 7), and the beginning of one at the end of a chunk.
 */
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y
const CUT_ESCAPE = /\\(?:u[\da-fA-F]{0,3})?$/y
/**
 * What ends or interrupts a run of characters in a string. Control characters are not allowed
 * there.
 */
const STRING_END = /["\\\u0000-\u001f]|$/g
const STRUCTURE = /["{}[\],:]|$/g
/** No term has a line end, so a decoder that reads one returns all that it holds. */
const LINE_END = '\n'

/**
 * Creates a decoder for JSON text, for example the pieces of a tool's input. Each string is a
 * separate answer. Expansions are escaped again, so JSON stays JSON. Names of members, numbers and
 * white space stay unchanged. So does everything after an invalid string.
 *
 * @throws CodecError for an invalid header
 */
export function createJsonDecoder(rosetta: string | Rosetta): JsonDecoder {
  const string = createStringDecoder(rosetta)
  /** Whether each open container is an object. */
  const containers: boolean[] = []
  let place: 'structure' | 'name' | 'string' | 'invalid' = 'structure'
  let isNameNext = false
  /** The beginning of an escape. */
  let held = ''

  /**
   * Reads to the end of a string, or as far as the chunk goes.
   *
   * @returns output, and where to continue
   */
  function readString(text: string, start: number): [string, number] {
    const end = findNext(STRING_END, text, start)
    const output = string.push(text.slice(start, end))
    if (end === text.length) return [output, end]
    if (text[end] === '"') {
      place = 'structure'
      return [output + string.end() + '"', end + 1]
    }
    const escaped = matchAt(ESCAPE, text, end)
    if (escaped) return [output + string.push(JSON.parse(`"${escaped}"`) as string), end + escaped.length]
    held = matchAt(CUT_ESCAPE, text, end)
    if (held) return [output, text.length]
    place = 'invalid'
    return [output + string.end(), end]
  }

  function readName(text: string, start: number): number {
    for (let at = start; at < text.length; at++) {
      if (text[at] === '"') {
        place = 'structure'
        return at + 1
      }
      if (text[at] !== '\\') continue
      at++
      if (at === text.length) held = '\\'
    }
    return text.length
  }

  function readStructure(text: string, start: number): number {
    const at = findNext(STRUCTURE, text, start)
    const mark = text[at]
    if (mark === undefined) return at
    if (mark === '"') place = isNameNext ? 'name' : 'string'
    else if (mark === '{' || mark === '[') containers.push(mark === '{')
    else if (mark === '}' || mark === ']') containers.pop()
    isNameNext = (mark === '{' || mark === ',') && containers.at(-1) === true
    return at + 1
  }

  return {
    push(chunk) {
      const text = held + chunk
      let output = ''
      let at = 0
      held = ''
      while (at < text.length) {
        const start = at
        if (place === 'string') {
          const [decoded, next] = readString(text, at)
          output += decoded
          at = next
          continue
        }
        if (place === 'invalid') at = text.length
        else at = place === 'name' ? readName(text, at) : readStructure(text, at)
        output += text.slice(start, at)
      }
      return place === 'name' && held ? output.slice(0, -1) : output
    },
    flush() {
      const output = (place === 'string' ? string.flush() : '') + held
      held = ''
      if (place === 'invalid') {
        place = 'structure'
        containers.length = 0
      }
      return output
    },
  }
}

/**
 * Decodes the strings of a JSON text one after the other. It takes them without escapes, and writes
 * them with escapes.
 */
interface StringDecoder extends AnswerDecoder {
  /** Returns what is held back, in the middle of a string. */
  flush(this: void): string
}

function createStringDecoder(rosetta: string | Rosetta): StringDecoder {
  const decoder = createAnswerDecoder(rosetta)
  /** The first half of a surrogate pair, which would be escaped by itself. */
  let half = ''
  const finish = (rest: string): string => {
    const decoded = half + rest
    half = ''
    return escape(decoded)
  }
  return {
    push(text) {
      const decoded = half + decoder.push(text)
      half = /[\ud800-\udbff]$/.exec(decoded)?.[0] ?? ''
      return escape(decoded.slice(0, decoded.length - half.length))
    },
    flush: () => finish(decoder.push(LINE_END).slice(0, -LINE_END.length)),
    end: () => finish(decoder.end()),
  }
}

function escape(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** @param pattern global; it matches at the end of every text */
function findNext(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)!.index
}

/** @param pattern sticky */
function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}
