import type { ChildProcess } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { EvalResult } from '@packs/eval'
import { expect, it, vi } from 'vitest'
import { startEndpoint } from '../../../eval/test/start-endpoint.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { runPack, startPack } from '../../../test-kit/test/run-pack.ts'
import { evalArgs, makeEvalFolder, questions, respondAs, TRUTH } from './eval-inputs.ts'

it('goes on after it was killed and after Ctrl-C, pays for nothing twice and gives the same result', async () => {
  let running: ChildProcess | undefined
  let [killAt, stopAt] = [Infinity, Infinity]
  const respond = respondAs(TRUTH)
  const { url, requests } = await startEndpoint((request, response, number) => {
    if (number === killAt) running!.kill('SIGKILL')
    if (number === stopAt) running!.kill('SIGINT')
    return respond(request, response, number)
  })
  const cwd = await makeEvalFolder()
  const countStored = (): number =>
    readdirSync(join(cwd, '.packs/eval/calls')).filter((name) => !name.startsWith('.')).length
  const run = async (): Promise<{ status: number | null; stderr: string }> => {
    running = startPack(evalArgs(url), { cwd })
    let stderr = ''
    running.stderr!.on('data', (text: Buffer) => (stderr += text.toString()))
    const status = await new Promise<number | null>((resolve) => running!.on('close', resolve))
    return { status, stderr }
  }

  killAt = 20
  await run()
  const stored = countStored()
  const lost = requests.length - stored
  // What was on its way when the program was killed.
  expect(lost).toBeLessThanOrEqual(4)

  stopAt = requests.length + 20
  const stopped = await run()
  expect(stopped.status).toBe(130)
  expect(stopped.stderr).toMatch(
    /waiting for the answers that are on their way[^]*error: the run was stopped/,
  )
  // The answers on their way were stored.
  expect(requests.length - countStored()).toBe(lost)

  const last = await runPack(evalArgs(url, '--json'), { cwd })
  const result = JSON.parse(last.stdout) as EvalResult
  expect(requests.length - lost).toBe(result.calls.all)
  expect(result.calls.made).toBe(result.calls.all - result.calls.stored)

  // A run that nobody stopped.
  const whole = await runInProcess(evalArgs(url, '--json'), { cwd: await makeEvalFolder() })
  const other = JSON.parse(whole.stdout) as EvalResult
  expect(withoutTimes(result)).toEqual(withoutTimes(other))
})

it('reads questions from stdin', async () => {
  const cwd = await makeEvalFolder()
  const args = [
    'eval',
    'dist',
    '--model',
    'small',
    '--url',
    'http://127.0.0.1:1/v1',
    '--questions',
    '-',
    '--dry-run',
    '--json',
  ]
  const run = await runPack(args, { cwd, input: JSON.stringify(questions) })
  expect(JSON.parse(run.stdout)).toMatchObject({ ok: true, questions: 20 })
  const binary = await runPack(args, { cwd, input: new Uint8Array([0xff, 0xfe]) })
  expect(JSON.parse(binary.stdout)).toMatchObject({ error: { code: 'file_unreadable' } })
  const large = await runPack(args, { cwd, input: new Uint8Array(4 * 1024 * 1024 + 1) })
  expect(JSON.parse(large.stdout)).toMatchObject({ error: { code: 'file_too_large' } })
})

it('is refused while another program uses the stored answers', async () => {
  const { url, requests } = await startEndpoint(() => undefined)
  const cwd = await makeEvalFolder()
  const first = startPack(evalArgs(url), { cwd })
  await vi.waitUntil(() => requests.length > 0, 60_000)
  const second = await runInProcess(evalArgs(url), { cwd })
  expect(second).toMatchObject({
    status: 4,
    stderr: expect.stringContaining(`another pack eval (process ${first.pid}) uses`),
  })
  const ended = new Promise((resolve) => first.on('close', resolve))
  first.kill('SIGKILL')
  await ended
  expect(requests).toHaveLength(1)
})

function withoutTimes({ date: _date, calls: _calls, arms, ...figures }: EvalResult): unknown {
  return { ...figures, arms: arms.map(({ latency: _latency, ...arm }) => arm) }
}
