import { expect, test } from 'vitest'
import { minify } from '../../src/minify/minify.ts'
import { restoreText } from '../../src/minify/restore-text.ts'
import type { Dialect } from '../../src/minify/types.ts'
import { o200kBase } from '../load-o200k-base.ts'

/** Constructs of each rule that are repeated without an end. */
const UNITS: readonly (readonly [Dialect[], string[]])[] = [
  [[], ['[a](b) ', '[a] ', '[x]: y\n', '<!-- a -->', '<!-- a -->\n\n', '<!--\n', '- <!-- a -->\n']],
  [[], ['<span>', '<span><b>', '</span>', '<div>\n\n', '</div>\n\n', '<pre>\n', '<a x="', '<b id="x">']],
  [
    [],
    [
      '- [A](#a)\n',
      '* [A](#a)\n- [A](#a)\n',
      '| a   ',
      '| a   | b |\n|-----|---|\n',
      '\n',
      ' \n',
      '&eacute;',
    ],
  ],
  [
    ['mdx'],
    ['{/* a */}', '{/*', "import a from 'b'\n", 'import {a, ', 'export const a = 1\n\n', '<Tabs>\n', '<A '],
  ],
  [['vue'], ['<script>\n', '<script>const a=1</script>\n\n', '{{ ']],
  [
    ['vault', 'hugo', 'kramdown'],
    ['%%', '%% a %%\n', '{{/*', '[[a|b]]', '[[a|', '{#a} ', '# a {#b}\n\n', '{: .a'],
  ],
]

test.each(UNITS)(
  'what repeats in %j is minified in bounded time: %j',
  { timeout: 120_000 },
  (dialect, units) => {
    for (const unit of units) {
      const source = unit.repeat(100_000 / unit.length)
      const { text, patch } = minify(source, { dialect }, o200kBase)
      expect(restoreText(text, patch) === source).toBe(true)
    }
  },
)
