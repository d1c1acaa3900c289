import { readFileSync } from 'node:fs'

const root = new URL('../../../', import.meta.url)

/** The codes of the unions and tables of a file that are named after errors or rules of messages. */
export function readCodes(file: string): string[] {
  const source = readFileSync(new URL(file, root), 'utf8')
  const unions = source.matchAll(/^(?:export )?type \w+(?:ErrorCode|Rule) =((?:\s*\|?\s*'[\w-]+')+)/gm)
  const codes = [...unions].flatMap(([, union]) => [...union!.matchAll(/'([\w-]+)'/g)])
  const [, table] = /^(?:export )?type \w+(?:ErrorCode|Rule) = keyof typeof (\w+)$/m.exec(source) ?? []
  const [, rows = ''] = new RegExp(`^(?:export )?const ${table} = \\{\\n(.*?)\\n\\}`, 'ms').exec(source) ?? []
  return [...codes, ...rows.matchAll(/^  '?([\w-]+)'?:/gm)].map(([, code]) => code!)
}
