import { expect, test } from 'vitest'
import { minify } from '../../src/minify/minify.ts'
import { restoreText } from '../../src/minify/restore-text.ts'
import type { Dialect } from '../../src/minify/types.ts'
import { o200kBase } from '../load-o200k-base.ts'

/** Constructs of each rule that are repeated without an end. */
// prettier-ignore
const UNITS: readonly (readonly [Dialect[], string[]])[] = [
  [[], ['[a](b) ', '[a] ', '[x]: y\n', '<!-- a -->', '<!-- a -->\n\n', '<!--\n', '- <!-- a -->\n']],
  [[], ['<span>', '<span><b>', '</span>', '<div>\n\n', '</div>\n\n', '<pre>\n', '<a x="', '<b id="x">']],
  [[], ['- [A](#a)\n', '* [A](#a)\n- [A](#a)\n', '| a   ', '| a   | b |\n|-----|---|\n', '\n', ' \n', '&eacute;']],
  [['mdx'], ['{/* a */}', '{/*', "import a from 'b'\n", 'import {a, ', 'export const a = 1\n\n', '<Tabs>\n', '<A ']],
  [['vue'], ['<script>\n', '<script>const a=1</script>\n\n', '{{ ']],
  [['vault', 'hugo', 'kramdown'], ['%%', '%% a %%\n', '{{/*', '[[a|b]]', '[[a|', '[a]({{ ', '[a](', '[a]({{a}}', '{#a} ', '# a {#b}\n\n', '{: .a']],
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

test.each<[string, Dialect[], string]>([
  ['uses of one definition', [], '[a]: /a-long/address\n\n' + '[a] x '.repeat(130_000)],
  ['entities beside tags', [], '&eacute; <b>x</b> '.repeat(20_000)],
  ['links of a vault beside code', ['vault'], '[[abc def|b c]] `c` '.repeat(20_000)],
  ['tags that only end', [], '<span>'.repeat(60_000) + '</b>'.repeat(60_000)],
  ['a chain of tags that stays', [], `${'</div><div>\n\n'.repeat(20_000)}</div>\n`],
  ['comments that all stay', [], 'a <!--x-->\n'.repeat(25_000)],
])('%s take time in proportion to their length', { timeout: 60_000 }, (_, dialect, source) => {
  const { text, patch } = minify(source, { dialect }, o200kBase)
  expect(restoreText(text, patch) === source).toBe(true)
})
