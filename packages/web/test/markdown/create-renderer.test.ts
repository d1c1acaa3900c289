import { afterEach, expect, it } from 'vitest'
import { createRenderer, type Renderer, type RendererOptions } from '../../src/markdown/create-renderer.ts'

let started: Renderer | undefined

afterEach(() => started?.close())

function start(options?: RendererOptions): Renderer {
  started = createRenderer(options)
  return started
}

const text = { key: 'k', title: 'Title', rosetta: '[DECODE] CT=certificate <b>transparency</b>' }

it('decodes before it renders, so that markup in an expansion is shown as text', async () => {
  const { markup, isTruncated } = await start().render({ ...text, content: 'Logs of CT.' })
  expect(markup).toBe('<p>Logs of certificate &#x3C;b>transparency&#x3C;/b>.</p>')
  expect(isTruncated).toBe(false)
})

it('cuts a long text at the end of a line', async () => {
  const content = Array.from({ length: 50 }, (_, line) => `Line ${line}\n\n`).join('')
  const { markup, isTruncated } = await start({ limit: 30 }).render({ ...text, content })
  expect(markup).toBe('<p>Line 0</p>\n<p>Line 1</p>\n<p>Line 2</p>')
  expect(isTruncated).toBe(true)
})

it('shows text as it is if rendering takes too long or nests too deep, and then renders the next text', async () => {
  const renderer = start({ timeout: 1000 })
  const slow = '[a](<b'.repeat(15_000)
  const [hard, deep, easy] = await Promise.all([
    renderer.render({ ...text, key: 'slow', content: slow }),
    renderer.render({ ...text, key: 'deep', content: '> '.repeat(20_000) }),
    renderer.render({ ...text, key: 'easy', content: '*easy*' }),
  ])
  expect(hard.markup.slice(0, 50)).toBe('<pre class="plain" tabindex="0">[a](&lt;b[a](&lt;b')
  expect(deep.markup.slice(0, 40)).toBe('<pre class="plain" tabindex="0">&gt; &gt')
  expect(easy.markup).toBe('<p><em>easy</em></p>')
})

it('shows text as it is if rendering runs out of memory, and then renders the next text', async () => {
  const renderer = start({ timeout: 60_000 })
  // Rows are filled up with empty cells: five million in this table.
  const table = `${'|a'.repeat(1000)}\n${'|-'.repeat(1000)}\n${'|b\n'.repeat(5000)}`
  const { markup } = await renderer.render({ ...text, key: 'large', content: table })
  expect(markup.slice(0, 40)).toBe('<pre class="plain" tabindex="0">|a|a|a|a')
  const after = await renderer.render({ ...text, key: 'small', content: '*small*' })
  expect(after.markup).toBe('<p><em>small</em></p>')
})
