import { expect, it } from 'vitest'
import { readDocument } from '../lint-texts.ts'

it('reads headings with their levels, texts and anchors', () => {
  const text =
    '# One #\n\nTwo\nlines\n===\n\nThree\n---\n\n###### Four {#four}\n\n## Five {/* #five */}\n\n## Six {: #six }\n\n> # quoted\n\n- # listed\n\n####### seven\n\n#\n'
  expect(
    readDocument(text).headings.map(({ level, text: title, anchor, line }) => [
      level,
      title,
      anchor,
      line + 1,
    ]),
  ).toEqual([
    [1, 'One', '', 1],
    [1, 'Two\nlines', '', 3],
    [2, 'Three', '', 7],
    [6, 'Four', 'four', 10],
    [2, 'Five', 'five', 12],
    [2, 'Six', 'six', 14],
    [1, '', '', 22],
  ])
})
