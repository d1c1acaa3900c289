/** Sets the variables that light an element of an entry, and that show its note. */
export const LIT = '--mark:var(--on);--mark-ink:var(--on-ink);--mark-edge:var(--on-edge);--note:flex'

const STYLE = `
:root{--tint:var(--saved);--tint-edge:#6fb0a7;--on:#ffd84d;--on-ink:#1d1600;--on-edge:#8a6500}
@media (prefers-color-scheme:dark){:root{--tint-edge:#3f857c;--on:#f2c230;--on-ink:#191200;--on-edge:#fff0b3}}
.te{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;tab-size:4;font-family:var(--mono);font-size:.8125rem}
.k{unicode-bidi:isolate;color:var(--mark-ink,var(--ink));background:var(--mark,transparent);border-radius:3px;text-decoration:none;cursor:pointer}
.k b{color:var(--mark-ink,var(--ink))}
.m{font-weight:inherit;border-radius:2px;background:var(--mark,var(--tint));color:var(--mark-ink,inherit);box-shadow:0 1px 0 var(--mark-edge,var(--tint-edge));text-decoration:none;cursor:pointer;-webkit-box-decoration-break:clone;box-decoration-break:clone}

.m.at{outline:2px solid var(--on-edge);outline-offset:1px}
.x{font-style:normal;font-size:.8em;padding:0 .2em;border-radius:2px;background:var(--bad);color:var(--paper);unicode-bidi:isolate;white-space:nowrap}
.o{display:var(--note,none);flex-wrap:wrap;gap:.1rem 1.5rem;justify-content:space-between;margin:0;padding:.6rem 1rem;background:var(--on);color:var(--on-ink);border-radius:var(--radius) var(--radius) 0 0;font-size:.925rem;box-shadow:0 -2px 12px #0003}
.o:target{display:flex}
.te{max-height:7.5rem;overflow:hidden}
.on{${LIT}}
@media (forced-colors:active){.m{text-decoration:underline}.on{forced-color-adjust:none}}
`

/**
 * Styles the entries of a header and their places in texts. Without a script, an entry is lit
 * everywhere while one of its elements is hovered, has the focus or is the target of a link.
 * @param entries how many entries of each text, best first, are lit without a script
 */
export function createTermStyle(entries: number): string {
  const rules = Array.from(
    { length: entries },
    (_, rank) => `.lit:has(.e${rank}:is(:hover,:focus-within,:target)) .e${rank}`,
  )
  return `${STYLE}@media (scripting:none){${rules.join(',')}{${LIT}}}\n`
}

/**
 * Marks hovered entries with a class, which is faster in large texts than the rules. A click or tap
 * selects an entry; the keys n and p go through its places.
 */
export const TERM_SCRIPT: string = `'use strict'
{
  let kept = null
  let marked = []
  let use = -1
  let isPressed = false
  const find = (start) => {
    for (let node = start; node instanceof Element; node = node.parentElement) {
      const name = /(?:^| )(e\\d+)(?: |$)/.exec(node.getAttribute('class') ?? '')?.[1]
      if (name !== undefined) return { name, lit: node.closest('.lit') ?? document.body }
    }
    return null
  }
  const isSame = (a, b) => a !== null && b !== null && a.name === b.name && a.lit === b.lit
  const mark = (entry) => {
    for (const node of marked) node.classList.remove('on', 'at')
    marked = entry === null ? [] : [...entry.lit.getElementsByClassName(entry.name)]
    for (const node of marked) node.classList.add('on')
  }
  const keep = (entry) => {
    if (!isSame(entry, kept)) use = -1
    kept = entry
    mark(entry)
  }
  const step = (by) => {
    const uses = marked.filter((node) => node.matches('.m'))
    if (uses.length === 0) return
    use = use < 0 && by < 0 ? uses.length - 1 : (use + by + uses.length) % uses.length
    uses[use].scrollIntoView({ block: 'center' })
    for (const node of uses) node.classList.toggle('at', node === uses[use])
  }
  document.addEventListener('mouseover', (event) => mark(find(event.target) ?? kept))
  document.documentElement.addEventListener('mouseleave', () => mark(kept))
  document.addEventListener('pointerdown', () => (isPressed = true))
  document.addEventListener('focusin', (event) => {
    const entry = find(event.target)
    if (entry !== null && !isPressed) keep(entry)
  })
  document.addEventListener('click', (event) => {
    isPressed = false
    const entry = find(event.target)
    const link = event.target.closest('a, button, input, select, summary')
    if (link?.matches('.m, .k')) event.preventDefault()
    if (link === null || link.matches('.m, .k')) keep(isSame(entry, kept) ? null : entry)
  })
  document.addEventListener('keydown', (event) => {
    isPressed = false
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') keep(null)
    if (event.target.closest('input, textarea, select') !== null) return
    if (event.key === 'n') step(1)
    if (event.key === 'p') step(-1)
  })
  document.documentElement.classList.add('script')
}
`
