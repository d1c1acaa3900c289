import { afterEach, expect, it } from 'vitest'
import { decodeBeginning } from '../../src/documents/read-document.ts'
import {
  createRenderer,
  type Renderer,
  type RendererOptions,
  type Rendering,
} from '../../src/markdown/create-renderer.ts'

let started: Renderer | undefined

afterEach(() => started?.close())

function start(options?: RendererOptions): Renderer {
  started = createRenderer(options)
  return started
}

const rosetta = '[DECODE] CT=certificate <b>transparency</b>'

function render(renderer: Renderer, content: string, key = 'k', limit = 100_000): Promise<Rendering> {
  const beginning = { ...decodeBeginning(content, rosetta, limit), header: '', isHeaderTruncated: false }
  return renderer.render({ key, title: 'Title', load: () => Promise.resolve(beginning) })
}

it('decodes before it renders, so that markup in an expansion is shown as text', async () => {
  const { markup, isTruncated } = await render(start(), 'Logs of CT.')
  expect(markup).toBe('<p>Logs of certificate &#x3C;b>transparency&#x3C;/b>.</p>')
  expect(isTruncated).toBe(false)
})

it('cuts a long text at the end of a line', async () => {
  const content = Array.from({ length: 50 }, (_, line) => `Line ${line}\n\n`).join('')
  const { markup, isTruncated } = await render(start(), content, 'k', 30)
  expect(markup).toBe('<p>Line 0</p>\n<p>Line 1</p>\n<p>Line 2</p>')
  expect(isTruncated).toBe(true)
})

it('shows text as it is if rendering takes too long or nests too deep, and then renders the next text', async () => {
  const renderer = start({ timeout: 1000 })
  const slow = '[a](<b'.repeat(15_000)
  const [hard, deep, easy] = await Promise.all([
    render(renderer, slow, 'slow'),
    render(renderer, '> '.repeat(20_000), 'deep'),
    render(renderer, '*easy*', 'easy'),
  ])
  expect(hard.markup.slice(0, 50)).toBe('<pre class="plain" tabindex="0">[a](&lt;b[a](&lt;b')
  expect(deep.markup.slice(0, 40)).toBe('<pre class="plain" tabindex="0">&gt; &gt')
  expect(easy.markup).toBe('<p><em>easy</em></p>')
})

it('shows text as it is if rendering runs out of memory, and then renders the next text', async () => {
  const renderer = start({ timeout: 60_000 })
  // Rows are filled up with empty cells: five million in this table.
  const table = `${'|a'.repeat(1000)}\n${'|-'.repeat(1000)}\n${'|b\n'.repeat(5000)}`
  const { markup } = await render(renderer, table, 'large')
  expect(markup.slice(0, 40)).toBe('<pre class="plain" tabindex="0">|a|a|a|a')
  const after = await render(renderer, '*small*', 'small')
  expect(after.markup).toBe('<p><em>small</em></p>')
})
