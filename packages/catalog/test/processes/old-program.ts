import { once } from 'node:events'
import { openOldProgram } from '../migrations/old-program.ts'

// Reads and writes as the program of step 0002 until stdin ends, and prints a line for each round. Any failure ends it.
// Titles descend, so that the newest pack is at the head of the list.
const [url = '', prefix = ''] = process.argv.slice(2)
const program = await openOldProgram(url)
const ended = once(process.stdin.resume(), 'end').then(() => true)
for (let round = 0; ; round++) {
  const slug = `${prefix}-${round}`
  const title = `${1e6 - round}`
  const sourceText = `# ${slug}`
  await program.putSource(sourceText)
  await program.putSource(`# draft of ${slug}`)
  await program.commit([{ slug, title, savings: (round + 25) / 100, sourceText }, { slug: `${slug}-old` }])
  await program.commit([{ slug: `${slug}-old`, version: '1.1.0', savings: -(round + 50) / 100, sourceText }])
  await program.commit([{ slug: `${slug}-old`, version: '2.0.0', savings: 77 }])
  await program.yank(`${slug}-old`)
  for (let read = 0; read < 50; read++) {
    const listed = await program.list(20)
    if (!listed.includes(slug)) throw new Error(`The list lacks ${slug}`)
    if ((await program.latest(slug)) !== title) throw new Error(`${slug} is missing`)
  }
  process.stdout.write(`${slug}\n`)
  if (await Promise.race([ended, new Promise<boolean>((resolve) => setImmediate(resolve, false))])) break
}
await program.close()
