import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serializePack } from '@packs/codec/internal'
import { buildPack, parseSource } from '@packs/codec/pack'
import type { ArmName, EvalResult } from '@packs/eval'
import { describe, expect, it } from 'vitest'
import { type PromptKind, recognizePrompt } from '../../../eval/test/stand-in-model.ts'
import {
  type ChatRequest,
  type Responder,
  sendAnswer,
  startEndpoint,
} from '../../../eval/test/start-endpoint.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { evalArgs, makeEvalFolder, questions, respondAs, TRUTH } from './eval-inputs.ts'

const KEY = 'sk-secret-0123456789'

describe('pack eval', () => {
  it('says with --dry-run what a run takes and how likely it finds an equal scheme, and asks nothing', async () => {
    const { url, requests } = await startEndpoint(respondAs(TRUTH))
    const cwd = await makeEvalFolder()
    const run = await runInProcess(evalArgs(url, '--dry-run', '--prices', '1,0.1,10', '--json'), { cwd })
    const plan = JSON.parse(run.stdout) as Record<'cost' | 'input' | 'output', number> & {
      readonly power: readonly { readonly discordant: number }[]
    }
    // Source, source again, minify-1, dense-2, max-2, without header, without document.
    expect(plan).toMatchObject({
      ok: true,
      dry_run: true,
      questions: 20,
      calls: 140,
      stored: 0,
      least_questions: 73,
    })
    expect(plan.cost).toBeCloseTo((plan.input + 10 * plan.output) / 1e6)
    expect(plan.power.map(({ discordant }) => discordant)).toEqual([0.02, 0.06, 0.1])
    expect(requests).toHaveLength(0)
    expect(readdirSync(cwd)).toEqual(['dist', 'questions.json'])
    const text = await runInProcess(evalArgs(url, '--dry-run'), { cwd })
    expect(text.stdout).toContain(
      'where no answer differs, as good takes 73 questions at a margin of 5 points',
    )
  })

  it('finds the truth of a model, stores every answer and reports it again without a network', async () => {
    const given: Given[] = []
    const respond = respondAs(TRUTH)
    const { url, requests, close } = await startEndpoint((request, ...others) => {
      const text = respond(request, ...others) as string
      given.push({ ...request, text })
      return text
    })
    const cwd = await makeEvalFolder()
    const env = { PACK_EVAL_KEY: KEY }
    const first = await runInProcess(evalArgs(url, '--json', '--prices', '1,0.1,10'), { cwd, env })
    expect(first).toMatchObject({ status: 0, stderr: '' })
    const result = JSON.parse(first.stdout) as EvalResult
    expect(result).toMatchObject({
      format: 'packs-eval-1',
      model: 'small',
      returned: ['stand-in-2026'],
      url,
      margin: 5,
      together: false,
      judge: { model: 'small', is_reader: true, controls: { accepted: 0 } },
      questions: { asked: 20, generated: false },
      calls: { stored: 0, made: requests.length },
    })
    expect(result.packs.map(({ slug, compression }) => [slug, compression])).toEqual([
      ['a2-glasshouse-manual', 'dense-2'],
      ['a4-ledger-api', 'dense-2'],
    ])
    expect(result.schemes.map(({ scheme, verdict }) => [scheme, verdict])).toEqual([
      ['minify-1', 'too few questions'],
      ['dense-2', 'not tested'],
      ['max-2', 'not tested'],
    ])
    // Grades are what the endpoint answered in truth.
    const count = (...arms: readonly ArmName[]): number =>
      result.arms.filter(({ arm }) => arms.includes(arm)).reduce((sum, { right }) => sum + right, 0)
    expect(count('source', 'source-again', 'minify-1')).toBe(given.filter(isRight('source')).length)
    expect(count('dense-2', 'max-2')).toBe(given.filter(isRight('dense-2', 'max-2')).length)
    expect(count('no-header')).toBe(given.filter(isRight('no-header')).length)
    expect(count('no-document')).toBe(given.filter(isRight('no-document')).length)
    expect(result.arms.map(({ right, wrong, undecided }) => right + wrong + undecided)).toEqual([
      20, 20, 20, 20, 20, 20, 20,
    ])
    const [source, again, , dense, max] = result.arms
    expect(again!.right).toBe(source!.right)
    expect(max!.right).toBeLessThan(dense!.right - 5)
    expect(result.noise.difference).toBe(0)
    expect(result.control!.interval[1]).toBeLessThan(0)
    expect(result.questions.excluded).toBe(result.arms.at(-1)!.right)
    expect(source!.tokens).toEqual({ input: 2000, cached: 1200, output: 200, reasoning: 80 })
    expect(source!.cost).toBeCloseTo((800 * 1 + 1200 * 0.1 + 200 * 10) / 1e6)
    expect(result.differing.length).toBeGreaterThan(5)

    expect(requests.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true)
    const stored = readdirSync(join(cwd, '.packs/eval/calls')).map((name) =>
      readFileSync(join(cwd, '.packs/eval/calls', name), 'utf8'),
    )
    expect(stored).toHaveLength(requests.length)
    for (const text of [...stored, first.stdout]) expect(text).not.toContain(KEY)

    await close()
    const replay = await runInProcess(evalArgs(url, '--replay', '--json', '--prices', '1,0.1,10'), { cwd })
    const { calls, ...figures } = JSON.parse(replay.stdout) as EvalResult
    expect(calls).toEqual({ all: requests.length, stored: requests.length, made: 0 })
    expect(figures).toEqual({ ...result, calls: undefined })

    const text = await runInProcess(evalArgs(url), { cwd })
    expect(text.stdout).toContain('minify-1: too few questions')
    expect(text.stdout).toContain('dense-2: not tested')
  })

  it('grades an address that a model read as a number', async () => {
    const given: string[] = []
    const { url } = await startEndpoint(({ system = '' }) => {
      const [link = 'none'] = /\[the console\]\([^)]*\)/.exec(system) ?? []
      given.push(link)
      return link
    })
    const cwd = await makeEvalFolder()
    const answer = '[the console](https://console.quoll.example/keys)'
    const question = {
      id: 'k',
      doc: 'a4-ledger-api',
      kind: 'identifier',
      question: 'Where are keys made?',
      answer,
    }
    writeFileSync(
      join(cwd, 'questions.json'),
      JSON.stringify([{ ...question, accept: [], evidence: [answer] }]),
    )
    const run = await runInProcess(evalArgs(url, '--schemes', 'minify-1', '--json'), { cwd })
    const { arms } = JSON.parse(run.stdout) as EvalResult
    expect(given).toContainEqual(expect.stringMatching(/^\[the console\]\(\d+\)$/))
    const right = arms
      .filter(({ arm }) => !arm.startsWith('no-'))
      .map(({ arm, right: count }) => [arm, count])
    expect(right).toEqual([
      ['source', 1],
      ['source-again', 1],
      ['minify-1', 1],
    ])
  })

  it('exits with 1 if a scheme is worse than the source', async () => {
    const { url } = await startEndpoint(respondAs(TRUTH))
    const run = await runInProcess(evalArgs(url, '--schemes', 'max-2'), { cwd: await makeEvalFolder() })
    expect(run.status).toBe(1)
    expect(run.stdout).toContain('max-2: worse than the source: −')
  })

  it('asks once about each question in one prompt of all packs', async () => {
    const { url, requests } = await startEndpoint(respondAs(TRUTH))
    const run = await runInProcess(evalArgs(url, '--together', '--schemes', 'dense-2', '--json'), {
      cwd: await makeEvalFolder(),
    })
    const result = JSON.parse(run.stdout) as EvalResult
    expect(result).toMatchObject({ together: true, schemes: [{ scheme: 'dense-2' }] })
    expect(new Set(requests.map(({ system }) => system)).size).toBe(5)
  })

  it.each<[what: string, respond: Responder, warning: RegExp]>([
    [
      'a judge that always says yes',
      (request) => (isJudging(request) ? 'right' : 'I think it is something else entirely'),
      /the judge small took \d+ of \d+ wrong answers for right/,
    ],
    [
      'a model that answers nothing',
      (_, response) => sendAnswer(response, ''),
      /the model answers only 0 of 20 questions \(20 answers are empty\)/,
    ],
    [
      'a model that knows all without the document',
      ({ user }) => questions.find(({ question }) => user.includes(question))!.answer,
      /answers every question without the document/,
    ],
  ])('gives no verdict with %s', async (_, respond, warning) => {
    const { url } = await startEndpoint(respond)
    const run = await runInProcess(evalArgs(url, '--json'), { cwd: await makeEvalFolder() })
    const { schemes, warnings } = JSON.parse(run.stdout) as EvalResult
    expect(run.status).toBe(0)
    expect(schemes.map(({ verdict }) => verdict)).toEqual(['no verdict', 'no verdict', 'no verdict'])
    expect(warnings[0]).toMatch(warning)
  })

  it('says that a judge gives no verdict', async () => {
    const { url } = await startEndpoint((request) =>
      isJudging(request) ? 'Perhaps.' : respondAs(TRUTH)(request, undefined!, 0),
    )
    const run = await runInProcess(evalArgs(url, '--json'), { cwd: await makeEvalFolder() })
    const { warnings, arms, schemes } = JSON.parse(run.stdout) as EvalResult
    expect(arms[0]!.undecided).toBeGreaterThan(0)
    expect(schemes[1]!.undecided_wrong).not.toBeNull()
    expect(warnings.join('\n')).toMatch(
      /The judge contradicts itself or gives no verdict about (\d+) of \1 answers/,
    )
  })

  it('says what an endpoint lies about', async () => {
    const answer = respondAs({ ...TRUTH, flips: {} })
    const { url } = await startEndpoint((request, response, number) => {
      const content = answer(request, response, number) as string
      const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 }
      sendAnswer(response, content, { model: number % 2 ? 'large' : 'tiny', usage })
    })
    const run = await runInProcess(evalArgs(url, '--json'), { cwd: await makeEvalFolder() })
    const { warnings, returned } = JSON.parse(run.stdout) as EvalResult
    expect(returned).toEqual(['large', 'tiny'])
    expect(warnings.join('\n')).toMatch(/Several models answered to the name small: large, tiny/)
    expect(warnings.join('\n')).toMatch(
      /The endpoint reports \d+ tokens of input where the prompts have about \d+/,
    )
    expect(warnings.join('\n')).toMatch(/Without the header, answers are not measurably worse/)
  })

  it('lets the model write questions, keeps them, and reports a replay of them', async () => {
    const { url, requests } = await startEndpoint((request) => {
      if (!request.user.startsWith('Write ')) return isJudging(request) ? 'wrong' : 'not stated'
      const passage = JSON.parse(request.user.slice(request.user.lastIndexOf('\n') + 1)) as string
      const [, list] = /at least one of these phrases: (.*)/.exec(request.user) ?? []
      const phrases = list === undefined ? [passage.slice(50, 90)] : (JSON.parse(list) as string[])
      const phrase = phrases.toSorted((a, b) => b.length - a.length)[0]!
      const usable = {
        kind: 'fact',
        question: `What is said of ${phrase}?`,
        answer: phrase,
        evidence: [phrase],
      }
      return `Here they are:\n\`\`\`json\n${JSON.stringify([usable, { ...usable, question: 'Where is that?', evidence: ['not in it'] }])}\n\`\`\``
    })
    const cwd = await makeEvalFolder()
    const args = ['eval', 'dist', '--model', 'small', '--url', url, '--generate', '4', '--json']
    const run = await runInProcess(args, { cwd })
    const result = JSON.parse(run.stdout) as EvalResult
    expect(result.questions).toMatchObject({ generated: true })
    expect(result.questions.asked).toBeGreaterThan(3)
    const [, path = ''] =
      /^\d(?: of 8)? questions were written to (\.packs\/eval\/questions-[0-9a-f]{8}\.json)/.exec(
        run.stderr,
      ) ?? []
    const written = JSON.parse(readFileSync(join(cwd, path), 'utf8')) as unknown[]
    expect(written).toHaveLength(result.questions.asked)
    const made = requests.length
    const replay = await runInProcess([...args, '--replay'], { cwd })
    expect(JSON.parse(replay.stdout)).toMatchObject({ questions: result.questions, calls: { made: 0 } })
    // The file can be passed instead, and asks nothing that was asked before.
    const file = ['eval', 'dist', '--model', 'small', '--url', url, '--questions', path, '--json']
    expect(JSON.parse((await runInProcess(file, { cwd })).stdout)).toMatchObject({
      questions: { generated: false },
      calls: { made: 0 },
    })
    expect(requests).toHaveLength(made)
  })

  it('asks a model that packs.eval.ts hands over', async () => {
    const cwd = await makeEvalFolder()
    writeFileSync(
      join(cwd, 'packs.eval.ts'),
      `const model: object = {
        specificationVersion: 'v3', provider: 'own', modelId: 'own-model', supportedUrls: {},
        doGenerate: async () => ({
          content: [{ type: 'text', text: 'not stated' }], finishReason: { unified: 'stop', raw: 'stop' }, warnings: [],
          usage: { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } },
        }),
        doStream: async () => { throw new Error('not used') },
      }
      export default { model, concurrency: 2 }\n`,
    )
    const run = await runInProcess(['eval', 'dist', '--questions', 'questions.json', '--json'], { cwd })
    expect(JSON.parse(run.stdout)).toMatchObject({
      model: 'own-model',
      url: null,
      arms: [{ arm: 'source', right: 0 }, {}, {}, {}, {}, {}, {}],
    })
  })

  it('refuses one prompt of packs that count in different tokenizers', async () => {
    const cwd = await makeEvalFolder()
    const text = '---\nslug: other\npack:\n  tokenizer: cl100k_base\n---\n# Other\n\nSome text.\n'
    const { source } = parseSource(Buffer.from(text), { path: 'other.md' })
    const built = await buildPack(source!)
    writeFileSync(join(cwd, 'dist/other.pack.json'), serializePack(built.pack!))
    const run = await runInProcess(evalArgs('http://127.0.0.1:1/v1', '--together', '--json'), { cwd })
    expect(JSON.parse(run.stdout).error).toMatchObject({ code: 'usage', hint: 'omit --together' })
  })

  it('refuses a packs.eval.ts that exports no model', async () => {
    const cwd = await makeEvalFolder()
    writeFileSync(join(cwd, 'packs.eval.ts'), `export default { model: 'gpt-5-mini' }\n`)
    const wrong = await runInProcess(['eval', 'dist', '--questions', 'questions.json', '--json'], { cwd })
    expect(JSON.parse(wrong.stdout).error).toMatchObject({
      code: 'invalid_eval_config',
      message: expect.stringContaining('model: must be a model'),
    })
    expect(wrong.status).toBe(2)
  })

  it.each<[what: string, args: string, status: number, code: string, message: string]>([
    ['no questions', '--model m', 2, 'usage', 'no questions'],
    ['no model', '--questions questions.json', 2, 'usage', 'no model is named'],
    [
      'no endpoint',
      '--questions questions.json --model m',
      2,
      'usage',
      'no endpoint is named for the model m',
    ],
    ['a budget without prices', '--generate 3 --model m --budget 2', 2, 'usage', '--budget needs prices'],
    ['an unknown scheme', '--schemes dense-3', 2, 'usage', 'minify-1,dense-2,max-2'],
    [
      'a missing file',
      '--questions none.json --model m --url http://127.0.0.1:1/v1',
      1,
      'file_not_found',
      'none.json does not exist',
    ],
    [
      'an address without https',
      '--generate 3 --model m --url http://example.org/v1',
      2,
      'invalid_endpoint',
      '--url must be https',
    ],
    [
      'nothing stored',
      '--questions questions.json --model m --url http://127.0.0.1:1/v1 --replay',
      2,
      'calls_missing',
      'none of the 140 calls is stored',
    ],
  ])('refuses %s', async (_, args, status, code, message) => {
    const run = await runInProcess(['eval', 'dist', ...args.split(' '), '--json'], {
      cwd: await makeEvalFolder(),
    })
    expect(JSON.parse(run.stdout).error).toMatchObject({
      code,
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/\w/),
    })
    expect(run.status).toBe(status)
  })

  it('refuses questions whose evidence is not in the source', async () => {
    const cwd = await makeEvalFolder()
    const [first, ...others] = questions
    writeFileSync(
      join(cwd, 'questions.json'),
      JSON.stringify([{ ...first, evidence: ['is nowhere'] }, ...others]),
    )
    const run = await runInProcess(evalArgs('http://127.0.0.1:1/v1'), { cwd })
    expect(run.status).toBe(2)
    expect(run.stderr).toContain(first!.id)
    expect(run.stderr).toContain('hint:')
  })

  it('stops at a wrong key, and shows it nowhere', async () => {
    const { url, requests } = await startEndpoint(({ headers }, response) => {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: `Incorrect API key: ${headers.authorization}` } }))
    })
    const run = await runInProcess(evalArgs(url), {
      cwd: await makeEvalFolder(),
      env: { PACK_EVAL_KEY: KEY },
    })
    expect(run).toMatchObject({ status: 4, stdout: '' })
    expect(run.stderr).toContain('401')
    expect(run.stderr).toContain('set PACK_EVAL_KEY to a valid key')
    expect(run.stderr).not.toContain(KEY)
    expect(requests).toHaveLength(1)
  })
})

function isJudging({ system }: { readonly system: string | undefined }): boolean {
  return system?.startsWith('You grade one answer') ?? false
}

type Given = Pick<ChatRequest, 'system' | 'user'> & { readonly text: string }

/** Tells whether a reply is right in truth, to a question in one of these kinds of prompts. */
function isRight(...kinds: readonly PromptKind[]): (given: Given) => boolean {
  return ({ system, user, text }) => {
    const question = questions.find((one) => user.endsWith(`Question: ${one.question}`))
    return question !== undefined && kinds.includes(recognizePrompt(system)) && text.includes(question.answer)
  }
}
