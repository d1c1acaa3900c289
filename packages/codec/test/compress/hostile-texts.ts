/** A text of about `length` UTF-16 units, by the number of its kind: always the same. */
export type MakeText = (length: number) => string

/** Kinds of text that have many repeats, or pre-tokens as long as a line, or both. */
export const HOSTILE_TEXTS: Readonly<Record<string, MakeText>> = {
  'runs of Han, each twice': repeatRuns(pickFrom(0x4e00, 2000), 250),
  'long runs of Han, each twice': repeatRuns(pickFrom(0x4e00, 2000), 2000),
  'runs of Thai, each twice': repeatRuns(pickFrom(0x0e01, 46), 250),
  'runs of kana, each twice': repeatRuns(pickFrom(0x3041, 80), 250),
  'runs of Hangul, each twice': repeatRuns(pickFrom(0xac00, 2000), 250),
  'runs of rare Han, each twice': repeatRuns(pickFrom(0x20000, 2000), 250),
  'runs of emoji, each twice': repeatRuns(pickFrom(0x1f300, 200), 250),
  'runs of signs, each twice': repeatRuns(pickOf('.,;:!?-_/*#~+=%&@$^'), 250),
  'runs of brackets, each twice': repeatRuns(pickOf('()[]{}<>"`*'), 250),
  'runs of characters to escape, each twice': repeatRuns(pickOf('\\|='), 250),
  'runs of letters, each twice': repeatRuns(pickOf('etaoinshrdlucmfwypvbgkjqxz'), 250),
  'two random characters of Han': repeatRuns(pickOf('中文'), 60, 1),
  'two random signs': repeatRuns(pickOf('+-'), 60, 1),
  'two random words': repeatRuns(pickOf(['delta ', 'river ']), 40, 1),
  'one character of Han': (length) => '中'.repeat(length),
  'a!b?c.': (length) => 'a!b?c.'.repeat(length / 6),
  'the Fibonacci word of two characters of Han': (length) => {
    let [word, shorter] = ['中', '文']
    while (word.length < length) [word, shorter] = [word + shorter, word]
    return word.slice(0, length)
  },
  'the Thue-Morse word of two characters of Han': (length) => {
    let [word, other] = ['中', '文']
    while (word.length < length) [word, other] = [word + other, other + word]
    return word.slice(0, length)
  },
  'longer and longer beginnings of one run': (length) => {
    const run = pickFrom(0x4e00, 2000)(400).join('')
    let text = ''
    for (let end = 1; text.length < length; end = (end % 400) + 1) text += `${run.slice(0, end)}\n\n`
    return text
  },
}

type Pick = (count: number) => string[]

function repeatRuns(pick: Pick, size: number, copies = 2): MakeText {
  return (length) => {
    const letters = pick(length)
    let text = ''
    for (let at = 0; text.length < length; at += size)
      text += `${letters.slice(at, at + size).join('')}\n\n`.repeat(copies)
    return text
  }
}

function pickFrom(first: number, count: number): Pick {
  return (size) => countUp(size).map((number) => String.fromCodePoint(first + (number % count)))
}

function pickOf(letters: string | readonly string[]): Pick {
  return (size) => countUp(size).map((number) => letters[number % letters.length]!)
}

/** Numbers below 2^16 of the generator of M. Matsumoto's and D. Knuth's kind x → 1664525 x + 1013904223. */
function countUp(size: number): number[] {
  let state = 1
  return Array.from({ length: size }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state >>> 16
  })
}
