import { Gap } from '../document/read-words.ts'
import type { LintDocument } from '../document/lint-document.ts'
import type { Finding, Rule } from '../rule.ts'

/** Reports words that are written twice in a row. */
export const repeatedWord: Rule = {
  name: 'repeated-word',
  severity: 'warning',
  summary: 'a word that is written twice in a row',
  reason:
    'It is a slip of the pen that costs a token, and writers overlook it, above all at the end of a line.',
  bad: 'Restart the the server.',
  good: 'Restart the server.',
  createCheck: () => ({ visit: findRepeats }),
}

function findRepeats({ text, words, placeAt }: LintDocument): Finding[] {
  const { texts, starts, gaps } = words
  const findings: Finding[] = []
  for (let at = 1; at < texts.length; at++) {
    const word = texts[at]!
    const before = texts[at - 1]!
    if (gaps[at] !== Gap.space || !SLIPS.has(word) || !isSame(before, word)) continue
    if (!/^\s+(?:>\s*)*$/.test(text.slice(starts[at - 1]! + before.length, starts[at]))) continue
    findings.push({
      message: `“${word}” is written twice`,
      hint: 'Remove one.',
      places: [placeAt(starts[at]!)],
    })
  }
  return findings
}

/** Whether both are the word; the first may begin a sentence. */
function isSame(before: string, word: string): boolean {
  return before === word || before === word.charAt(0).toUpperCase() + word.slice(1)
}

/** Words that no sentence has twice in a row. Left out are those that one can: that, had, is, in, on, so, very; die, nous. */
const SLIPS: ReadonlySet<string> = new Set(
  [
    'the a an of to and or for with from by at as are be been it its this these those if when which will would can could',
    'should must may not you your we our they their there then than into has have does but also only each any all other',
    'und oder mit von zu für nicht auf aus bei nach ist sind wird werden ein eine einen einem einer kann auch im am dem des',
    'et ou de du des le les un une dans pour avec sur par est sont qui ce cette ces',
    'y el los las del al una con para por está esta este se lo como pero',
    'e o os as da do das dos em um uma com não il lo gli di che per una',
  ].flatMap((line) => line.split(' ')),
)
