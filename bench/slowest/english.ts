import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { growText } from '../scale/grow-text.ts'

/** Reads the example packs that are written in English, in ASCII, and makes a text of at least `bytes` bytes of them. */
export async function readEnglish(root: string, bytes: number): Promise<string> {
  const folder = join(root, 'examples', 'packs')
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md')).sort()
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return growText(
    texts.map(toAscii).filter((text, index) => text.length > MOSTLY * texts[index]!.length),
    bytes,
  )
}

/** Part of the characters of an English text that are ASCII. */
const MOSTLY = 0.9

function toAscii(text: string): string {
  return text.normalize('NFKD').replace(/[^\n -~]/g, '')
}
