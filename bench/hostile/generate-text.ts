import { ALPHABETS, type AlphabetName } from './alphabets.ts'
import { Random } from '../random.ts'
import { STRUCTURES, type StructureName } from './structures.ts'

/** Everything that decides a text apart from its length. */
export interface Recipe {
  readonly seed: number
  readonly alphabet: AlphabetName
  /** Different letters, fewer if the alphabet has fewer. */
  readonly letters: number
  readonly structure: StructureName
  readonly size: number
  readonly copies: number
  /** Written after each run. */
  readonly end: string
  readonly wrap: WrapName
}

/** Ways to make a line of markdown from a run. */
export const WRAPS = {
  none: (run) => run,
  paragraph: (run) => `${run}\n`,
  heading: (run) => `## ${run}`,
  list: (run) => `- ${run}`,
  'deep list': (run, line) => `${'  '.repeat(line % 60)}- ${run}`,
  quote: (run) => `> ${run}`,
  'deep quote': (run, line) => `${'> '.repeat(line % 90)}${run}`,
  'table row': (run, line) => (line === 0 ? `| a | b |\n| - | - |\n| ${run} | b |` : `| ${run} | b |`),
  'table of many cells': (run) => Array.from(run).join('|'),
  'open fence': (run, line) => (line === 0 ? `\`\`\`\n${run}` : run),
  'many fences': (run) => `\`\`\`\n${run}\n\`\`\``,
  'indented code': (run) => `    ${run}`,
  'code span': (run) => `\`${run}\``,
  'open code span': (run, line) => `${'`'.repeat(1 + (line % 50))}${run}`,
  link: (run) => `[${run}](/${run})`,
  'open link': (run) => `[${run}](`,
  definition: (run) => `[${run}]: /${run}`,
  'open definition': (run) => `[${run}`,
  emphasis: (run) => `**${run}**`,
  'html block': (run) => `<div>\n${run}\n</div>\n`,
  'open html': (run) => `<a ${run}`,
  'open comment': (run) => `<!-- ${run}`,
  'open front matter': (run, line) => (line === 0 ? `---\n${run}` : run),
  'verbatim region': (run) => `<!-- pack:verbatim -->\n${run}\n<!-- /pack -->`,
  'open verbatim': (run) => `<!-- pack:verbatim -->\n${run}`,
  setext: (run) => `${run}\n===`,
  footnote: (run, line) => `[^${line}]: ${run}`,
} as const satisfies Record<string, (run: string, line: number) => string>

export type WrapName = keyof typeof WRAPS

/** Makes a text of at most `bytes` bytes of UTF-8, and of nearly as many. */
export function generateText(recipe: Recipe, bytes: number): string {
  const random = new Random(recipe.seed)
  const letters = ALPHABETS[recipe.alphabet](recipe.letters, random)
  const { size, copies } = recipe
  const runs = STRUCTURES[recipe.structure]({ random, letters: letters.length, size, copies, count: bytes })
  const wrap = WRAPS[recipe.wrap]
  let text = ''
  let line = 0
  for (const run of runs) {
    text += wrap(run.map((letter) => letters[letter]).join(''), line++) + recipe.end
    if (text.length >= bytes) break
  }
  return cutBytes(text, bytes)
}

function cutBytes(text: string, bytes: number): string {
  const cut = new TextEncoder().encode(text).subarray(0, bytes)
  return new TextDecoder().decode(cut).replace(/\ufffd+$/u, '')
}
