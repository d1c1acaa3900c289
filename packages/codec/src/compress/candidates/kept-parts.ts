import { listLabels, inlineBlocks, type InlineBlock } from '../../markdown/inlines/inline-blocks.ts'
import type { BlockTable } from '../../markdown/line-table.ts'
import { type Inline, listMarkup, readInlines } from '../../markdown/read-inlines.ts'
import type { Units } from '../text/lex-units.ts'

// What entries leave whole, SPEC.md section 8.6, T13 to T15.

/** Words of negation and obligation, a language a line: en, de, fr, es, pt, it, nl, ru. */
const WORDS = new Set(
  [
    'not no nor none never neither nothing nobody nowhere without cannot cant must shall should ought require requires required requiring requirement requirements mandatory obligatory optional optionally recommended forbidden forbid forbids prohibited disallowed unless except avoid don doesn didn isn aren wasn weren won wouldn couldn shouldn mustn hasn haven hadn',
    'nicht nichts kein keine keinen keinem keiner keines nie niemals niemand ohne weder muss muß musst müssen müsst darf dürfen soll sollen sollte sollten verboten erforderlich notwendig außer',
    'ne pas jamais rien aucun aucune sans ni sauf doit doivent devez devons devrait faut interdit interdite interdits interdites obligatoire obligatoires requis requise',
    'nunca jamás nada ningún ninguno ninguna sin tampoco salvo debe deben debes debería prohibido prohibida obligatorio obligatoria requiere requerido',
    'não nem nenhum nenhuma sem deve devem deveria proibido proibida obrigatório obrigatória requer exceto',
    'non mai nessun nessuno nessuna senza né deve devono vietato vietata obbligatorio obbligatoria',
    'niet geen nooit niets zonder moet moeten mag mogen verboden verplicht',
    'не нет ни никогда без нельзя должен должна должно должны обязан обязательно запрещено требуется необходимо',
  ].flatMap((words) => words.split(' ')),
)
const WORD_PLACES = /[\p{L}\p{N}_]+(?:['’]t(?![\p{L}\p{N}_]))?/gu
/** What has other words around it, or no space: `may not`, French, Chinese, Japanese and Korean. */
const PARTS =
  /(?<![\p{L}\p{N}_])(?:may(?=\s{1,3}not(?![\p{L}\p{N}_]))|n(?=['’]\p{L}))|不|没|沒|未|无|無|勿|莫|禁止|必|须|須|应该|应当|需要|避免|非(?!常)|(?<![区特级类识分辨])别(?![名的人])|ない|なく|なかっ|なけれ|ません|ずに|べき|않|없|아니|아닌|못|마세요|말아|금지|해야|필수|필요/giu

/** Finds words of negation and obligation, `[start, end)`, ascending (T13). */
export function findObligations(text: string): number[] {
  const places: [start: number, end: number][] = []
  for (const { index, 0: word } of text.matchAll(WORD_PLACES))
    if (WORDS.has(word.toLowerCase()) || /n['’]t$/i.test(word)) places.push([index, index + word.length])
  for (const { index, 0: part } of text.matchAll(PARTS)) places.push([index, index + part.length])
  return places.sort((a, b) => a[0] - b[0]).flat()
}

/** What a use may not cut, by boundary of units. */
export interface KeptParts {
  /** Equal inside the same bold texts and link texts; `CUT` where no use may begin or end. */
  readonly inside: Int32Array
  /** Starts of sentences up to each boundary. */
  readonly sentences: Int32Array
  /** 1 between the end of a sentence and the start of the next one. */
  readonly gaps: Uint8Array
}

const CUT = -1

/** A part that is kept whole; a use may change its content. Offsets are ascending. */
interface Part {
  readonly start: number
  readonly contentStart: number
  readonly contentEnd: number
  readonly end: number
}

/** Finds code spans, links, bold text, names and sentences. `tables` are the lines of each text. */
export function findKeptParts(
  { text, starts, count }: Units,
  tables: readonly BlockTable[],
  places: readonly { readonly start: number }[],
): KeptParts {
  const events: (readonly [offset: number, inside: number, cuts: number])[] = []
  let id = 0
  for (const [index, table] of tables.entries()) {
    for (const { start, contentStart, contentEnd, end } of listParts(table)) {
      const at = places[index]!.start
      id = (Math.imul(id, 1_664_525) + 1_013_904_223) & 0x7fffffff
      events.push([at + start + 1, 0, 1], [at + end, 0, -1])
      if (contentEnd <= contentStart) continue
      events.push([at + contentStart, id, -1], [at + contentEnd + 1, id, 1])
    }
  }
  events.sort((a, b) => a[0] - b[0])
  const inside = new Int32Array(count + 1)
  for (let boundary = 0, next = 0, sum = 0, cuts = 0; boundary <= count; boundary++) {
    for (; next < events.length && events[next]![0] <= starts[boundary]!; next++) {
      sum ^= events[next]![1]
      cuts += events[next]![2]
    }
    inside[boundary] = cuts > 0 || isInName(text, starts[boundary]!) ? CUT : sum
  }
  return { inside, ...findSentences(text, starts, count) }
}

/** Whether `at` is inside a name of several words: `docs/tls.md`, `dry-run`, `getById`. */
function isInName(text: string, at: number): boolean {
  return (
    isJoint(text, at) ||
    isJoint(text, at - 1) ||
    (/[a-z]/.test(text[at - 1] ?? '') && /[A-Z]/.test(text[at] ?? ''))
  )
}

function isJoint(text: string, at: number): boolean {
  return SIGNS.test(text[at] ?? '') && WORD.test(text[at - 1] ?? '') && WORD.test(text[at + 1] ?? '')
}

const SIGNS = /[._:/-]/
const WORD = /[A-Za-z0-9_$]/

function* listParts(table: BlockTable): Generator<Part> {
  const labels = listLabels(table)
  for (const block of inlineBlocks(table)) {
    const inlines = readInlines(table.text, block.parts, labels)
    for (const { kind, start, close, end } of inlines) {
      if (kind === 'link' || kind === 'image') {
        yield { start, contentStart: start + (kind === 'image' ? 2 : 1), contentEnd: close, end }
      } else if (kind !== 'bare') yield { start, contentStart: end, contentEnd: end, end }
    }
    yield* listBold(table.text, block, inlines)
  }
}

/** Pairs the marks of bold text in a block, outside of code, HTML and addresses. */
function* listBold(text: string, { parts }: InlineBlock, inlines: readonly Inline[]): Generator<Part> {
  const start = parts[0]!.start
  const zones = listMarkup(inlines)
  const open = new Map<string, number>()
  let next = 0
  for (const { index, 0: mark } of text.slice(start, parts.at(-1)!.end).matchAll(/\*\*|__/g)) {
    const at = start + index
    while (next < zones.length && zones[next]![1] <= at) next++
    if (next < zones.length && zones[next]![0] <= at) continue
    const opened = open.get(mark)
    if (opened !== undefined && /\S/.test(text[at - 1]!)) {
      open.delete(mark)
      yield { start: opened, contentStart: opened + 2, contentEnd: at, end: at + 2 }
    } else if (/\S/.test(text[at + 2] ?? ' ')) open.set(mark, at)
  }
}

/** Ends of sentences before white space; in Chinese and Japanese before anything. */
const ENDS = /(?:[.!?…]["'”’)\]*_`]*[ \t\n\r]+(?=[^\s\p{Ll}])|[。！？]["'”’」』）)\]*_`]*[ \t\n\r]*(?=\S))/gu

function findSentences(text: string, starts: Int32Array, count: number): Omit<KeptParts, 'inside'> {
  const sentences = new Int32Array(count + 1)
  const gaps = new Uint8Array(count + 1)
  let boundary = 0
  let number = 0
  for (const { index, 0: end } of text.matchAll(ENDS)) {
    const next = index + end.length
    const gap = index + end.trimEnd().length
    for (; boundary <= count && starts[boundary]! < next; boundary++) {
      sentences[boundary] = number
      if (starts[boundary]! >= gap) gaps[boundary] = 1
    }
    number++
  }
  sentences.fill(number, boundary)
  return { sentences, gaps }
}
