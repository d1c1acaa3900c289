import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serializePack } from '@packs/codec/internal'
import { buildPack, parseSource } from '@packs/codec/pack'
import type { Question } from '@packs/eval'
import { createStandIn, type StandInTruth } from '../../../eval/test/stand-in-model.ts'
import type { Responder } from '../../../eval/test/start-endpoint.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const STUDY = new URL('../../../../bench/reading/', import.meta.url)
const SLUGS = ['a2-glasshouse-manual', 'a4-ledger-api']

/** Questions of the reading study about two of its documents. */
export const questions: readonly Question[] = (
  JSON.parse(readFileSync(new URL('questions-a.json', STUDY), 'utf8')) as Question[]
).filter(({ doc }) => SLUGS.includes(doc))

/** Answers nearly everything from the source, and loses more the denser the scheme is. */
export const TRUTH: StandInTruth = {
  seed: 1,
  right: 0.95,
  flips: { 'dense-2': 0.05, 'max-2': 0.9, 'no-header': 0.8, 'no-document': 0.1 },
  wordy: 0.3,
}

export function respondAs(truth: StandInTruth): Responder {
  const answer = createStandIn(questions, truth)
  return (request) => answer(request)
}

let packs: Readonly<Record<string, string>> | undefined

/** Creates a folder with two dense packs and their questions. */
export async function makeEvalFolder(): Promise<string> {
  packs ??= Object.fromEntries(
    await Promise.all(
      SLUGS.map(async (slug) => {
        const text = readFileSync(new URL(`docs/${slug}.md`, STUDY), 'utf8')
        const { source } = parseSource(
          Buffer.from(`---\nslug: ${slug}\npack:\n  compression: dense-2\n---\n${text}`),
          {
            path: `${slug}.md`,
          },
        )
        const { pack } = await buildPack(source!)
        return [`dist/${slug}.pack.json`, serializePack(pack!)] as const
      }),
    ),
  )
  const folder = makeFolder(packs)
  writeFileSync(join(folder, 'questions.json'), JSON.stringify(questions))
  return folder
}

/** The arguments of an evaluation of that folder. */
export function evalArgs(url: string, ...others: readonly string[]): string[] {
  return ['eval', 'dist', '--model', 'small', '--url', url, '--questions', 'questions.json', ...others]
}
