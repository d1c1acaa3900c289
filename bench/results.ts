import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'

const FOLDER = new URL('results/', import.meta.url)

/** Reads a saved result; `undefined` if no run has saved one. */
export function readResults<T>(name: string): T | undefined {
  const file = new URL(`${name}.json`, FOLDER)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined
}

/** Saves the figures of a program, writes the page of all results again, and prints the figures. */
export async function saveResults(name: string, figures: object): Promise<void> {
  const text = writeRows(figures)
  process.stdout.write(text)
  await writeFile(new URL(`${name}.json`, FOLDER), text)
  // Loaded here, as it names the results of all programs.
  const { formatPage } = await import('./results-page.ts')
  await writeFile(new URL('README.md', FOLDER), formatPage(readResults))
}

/** JSON with one row a line. */
function writeRows(figures: object): string {
  const members = Object.entries(figures).map(([key, value]) => {
    const rows = Array.isArray(value) ? value.map((row) => `\n    ${JSON.stringify(row)}`) : undefined
    return `  ${JSON.stringify(key)}: ${rows === undefined ? JSON.stringify(value) : `[${rows.join(',')}\n  ]`}`
  })
  return `{\n${members.join(',\n')}\n}\n`
}
