import { loadTokenizer } from '@packs/codec/compress'
import { expect, it } from 'vitest'
import { createComposer } from './make-store.ts'

const NEEDLE = 'zqneedle'
const WORDS = [
  'ledger',
  'cursor',
  'shard',
  'region',
  'vendor',
  'batch',
  'quota',
  'replica',
  'manifest',
  'clause',
]
const say = (at: number): string =>
  Array.from({ length: 8 }, (_, step) => WORDS[(at * 7 + step * 3) % 10]!).join(' ')
const COUNT = 240
/** Lines of other words, one of them with the needle. */
const draw = (write: (text: string, at: number) => string, between = '\n'): string =>
  Array.from({ length: COUNT }, (_, at) =>
    write(`k${at} ${at === 130 ? `${NEEDLE} ` : ''}${say(at)}`, at),
  ).join(between)
const lines = draw((text) => text)
const indent = (text: string, by: string): string => text.replaceAll(/^/gm, by)

/** Blocks that are longer than a budget, and a line that what is shown of them must have. */
const KINDS: Readonly<Record<string, readonly [block: string, ...shown: RegExp[]]>> = {
  'a fence': [`\`\`\`yaml\n${lines}\n\`\`\``, /^```yaml\n/m, /^```$/m],
  'a fence of tildes': [`~~~\n${lines}\n~~~`, /^~~~\n[^]*\n~~~$/m],
  'a fence with blank lines': [`\`\`\`\n${draw((text) => text, '\n\n')}\n\`\`\``, /^```\n[^]*\n```$/m],
  'a fence with CR LF': [`\`\`\`\n${lines}\n\`\`\``.replaceAll('\n', '\r\n'), /^```\r?\n[^]*\n```/m],
  'an unclosed fence': [`\`\`\`\n${lines}`, /^```\n[^]*\n```$/m],
  'a diagram': [
    `\`\`\`mermaid\ngraph TD\n${draw((text, at) => `  A${at} --> B[${text}]`)}\n\`\`\``,
    /^```mermaid\n/m,
  ],
  'a fence in a list': [
    `- One\n\n${indent(`\`\`\`sh\n${lines}\n\`\`\``, '  ')}\n- Two`,
    /^- \[…\]\n {2}```sh\n/m,
  ],
  'a fence in a quote': [indent(`\`\`\`sh\n${lines}\n\`\`\``, '> '), /^> ```sh\n> \[…\]\n> [^]*\n> ```$/m],
  'one line': [`\`\`\`json\n{${draw((text, at) => `"k${at}":"${text}"`, ',')}}\n\`\`\``, /^```json\n\[…\] /m],
  'indented code': [indent(lines, '    '), /^ {4}k130/m],
  'a pre': [`<pre>\n${lines}\n</pre>`, /^<pre>\n[^]*\n<\/pre>$/m],
  'a table of HTML': [
    `<table>\n${draw((text) => `<tr><td>${text}</td></tr>`)}\n</table>`,
    /^<table>\n[^]*\n<\/table>$/m,
  ],
  'a block of HTML': [`<div class="a">\n${draw((text) => `<p>${text}</p>`)}\n</div>`, /^<div class="a">\n/m],
  'a comment': [`<!--\n${lines}\n-->`, /^<!--\n[^]*\n-->$/m],
  'a quote': [indent(lines, '> '), /^> \[…\]$/m],
  'a list': [draw((text) => `- ${text}`), /^- k130/m],
  'nested lists': [
    `- One\n  - Two\n${draw((text) => `    - ${text}`)}`,
    /^- \[…\]\n {2}- \[…\]\n {4}- k\d+/m,
  ],
  'a definition list': [`Term\n${draw((text) => `: ${text}`)}`, /^: k130/m],
  'a footnote': [`A note.[^1]\n\n[^1]: One\n${indent(lines, '    ')}`, /^\[\^1\]: \[…\]$/m],
  'an admonition': [`:::warning\n${lines}\n:::`, /^:::warning\n[^]*\n:::$/m],
  'an indented admonition': [`!!! note "Mind"\n\n${indent(lines, '    ')}`, /^!!! note "Mind"\n/m],
  'an alert': [`> [!NOTE]\n${indent(lines, '> ')}`, /^> \[!NOTE\]\n/m],
  formulas: [`$$\n${lines}\n$$`, /^\$\$\n[^]*\n\$\$$/m],
  'a table': [`| a | b |\n|---|---|\n${draw((text) => `| ${text} | x |`)}`, /^\| a \| b \|\n\|---\|---\|\n/m],
  details: [
    `<details>\n<summary>More</summary>\n\n${lines}\n\n</details>`,
    /^<details>\n[^]*\n<\/details>$/m,
  ],
  components: [`<Card title="A">\n\n${lines}\n\n</Card>`, /^<Card title="A">\n[^]*\n<\/Card>$/m],
  tabs: [
    `<Tabs>\n<TabItem value="a">\n\n\`\`\`js\n${lines}\n\`\`\`\n\n</TabItem>\n</Tabs>`,
    /^<TabItem value="a">\n/m,
  ],
  'a paragraph': [draw((text) => text, ' ')],
  'front matter': [`---\n${draw((text, at) => `k${at}: ${text}`)}\n---`],
  'a line without spaces': [
    draw((text) => text.replaceAll(' ', '_').replace(`_${NEEDLE}_`, `.${NEEDLE}.`), '.'),
  ],
  'a long line': ['🌰內存'.repeat(10_000) + NEEDLE + '🌰內存'.repeat(10_000)],
}
const tokenizer = await loadTokenizer('o200k_base')
const measure = (text: string): number => tokenizer.countTokens(text)

it.each(Object.entries(KINDS))(
  'what matches inside %s is shown, whatever the budget',
  async (_, [block, ...shown]) => {
    const compose = createComposer([
      { slug: 'long', title: 'Long', body: `# Long\n\nIntro.\n\n${block}\n` },
      { slug: 'other', title: 'Other', body: '# Other\n\nA walnut.\n' },
    ])
    for (const budget of [300, 500, 1000, 2000, 4000]) {
      const { text, tokens } = await compose(NEEDLE, { budget, measure })
      expect([budget, text.includes(NEEDLE)]).toEqual([budget, true])
      expect(tokens).toBeLessThanOrEqual(budget)
      expect(text.isWellFormed()).toBe(true)
      if (!text.includes('[…]')) continue
      for (const pattern of shown) expect(text).toMatch(pattern)
    }
  },
)
