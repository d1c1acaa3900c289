import { describe, expect, it } from 'vitest'
import { describeSource } from '../../src/skill/describe-source.ts'

describe('describeSource', () => {
  it.each([
    [
      'without markup',
      'Read *the* **[`page`](https://x.example/a_(b) "t")**, <kbd>Esc</kbd>, ~~old~~ and\n[the guide][1] or [it], see <https://y.example>[^2].<!-- x -->',
      'Read the page, Esc, old and the guide or it, see https://y.example.',
    ],
    ['with code as written', 'Call `a*b*` in `snake_case_name`.', 'Call a*b* in snake_case_name.'],
    [
      'after badges, images and lines of links',
      '[![Build](a.svg)](b)\n\n![A picture of it](c.png)\n\n[Home](a) | [Next](b)\n\nA line *to* read.',
      'A line to read.',
    ],
    [
      'after HTML',
      '<div align="center">\n\n<img src="a.png">\n\n</div>\n\nText that follows.',
      'Text that follows.',
    ],
    ['after imports of MDX', "import Tabs from './tabs'\n\nText that follows.", 'Text that follows.'],
    ['after a note of GitHub', '> [!NOTE]\n> Mind the *gap*.\n\nText that follows.', 'Text that follows.'],
    ['after a quote', '> A wise word.\n\nText that follows.', 'Text that follows.'],
    [
      'after an admonition',
      '::: tip Mind this\nA tip of *use*.\n:::\n\nText that follows.',
      'Text that follows.',
    ],
    [
      'after a note of MkDocs',
      '!!! note "Mind this"\n    A tip.\n\nText that follows.',
      'Text that follows.',
    ],
    ['of a quote, if there is no other', '# A\n\n> Control the `app`.\n\n```\ncode\n```', 'Control the app.'],
    ['of a quote before an example', '# A\n\n> Control *it* well.\n\nAn example:\n', 'Control it well.'],
    [
      'of a quote, rather than of a section',
      '# A\n\n> Control *it* well.\n\n## Methods\n\nReturns a value.',
      'Control it well.',
    ],
    [
      'of the summary, rather than of another section',
      '# A\n\n- [One](#one)\n\n## Checklist\n\nItems are required.\n\n## Summary\n\nWhat it is about.',
      'What it is about.',
    ],
    [
      'of the introduction before a summary',
      '# A\n\nAbout this.\n\n## Summary\n\nThe end of it.',
      'About this.',
    ],
    ['of a list, if there is no other', '# A\n\n- [x] Do *this* first\n', 'Do this first'],
    ['in Chinese', '提供**一个**值，可以被后代组件注入。', '提供一个值，可以被后代组件注入。'],
    ['that is nothing', '# A\n\n```\ncode here\n```\n\n| a | b |\n|---|---|\n| c | d |\n', ''],
  ])('returns a paragraph %s', (_, source, expected) => {
    expect(describeSource(source)).toBe(expected)
  })

  it.each(['[', '![](', '`', '<', '<!--', '> ', '::: a\n', '{{', '*a', '[^', '# ', 'a\n\n'])(
    'reads many %j',
    (part) => {
      expect(describeSource(`${part.repeat(60_000)}\n`).length).toBeLessThan(8_000)
    },
  )
})
