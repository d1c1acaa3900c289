/**
 * Optional script of the page. It marks hovered entries with a class, which is faster in large texts than the style rules that
 * work without scripts. A click selects an entry; keys and the strip of tokens scroll through the text. The script reads only
 * class names and attributes that this program wrote.
 */
export const REPORT_SCRIPT: string = `'use strict'
{
  let kept = null
  let marked = []
  let use = -1
  const find = (start) => {
    for (let node = start; node instanceof Element; node = node.parentElement) {
      const name = /(?:^| )(e\\d+)(?: |$)/.exec(node.getAttribute('class') ?? '')?.[1]
      if (name !== undefined) return { name, pack: node.closest('.pack') }
    }
    return null
  }
  const isSame = (a, b) => a !== null && b !== null && a.name === b.name && a.pack === b.pack
  const mark = (entry) => {
    for (const node of marked) node.classList.remove('on', 'at')
    marked = entry === null ? [] : [...entry.pack.getElementsByClassName(entry.name)]
    for (const node of marked) node.classList.add('on')
  }
  const keep = (entry) => {
    if (!isSame(entry, kept)) use = -1
    kept = entry
    mark(entry)
  }
  const step = (by) => {
    const uses = marked.filter((node) => node.matches('.s .m'))
    if (uses.length === 0) return
    use = use < 0 && by < 0 ? uses.length - 1 : (use + by + uses.length) % uses.length
    uses[use].scrollIntoView({ block: 'center' })
    for (const node of uses) node.classList.toggle('at', node === uses[use])
  }
  document.addEventListener('mouseover', (event) => mark(find(event.target) ?? kept))
  document.documentElement.addEventListener('mouseleave', () => mark(kept))
  document.addEventListener('focusin', (event) => {
    const entry = find(event.target)
    if (entry !== null) keep(entry)
  })
  document.addEventListener('click', (event) => {
    const entry = find(event.target)
    const strip = event.target.closest('.strip')
    if (strip !== null) {
      const { left, width } = strip.getBoundingClientRect()
      const group = Math.floor((Number(strip.dataset.groups) * (event.clientX - left)) / width)
      const groups = strip.closest('.pack').querySelectorAll('.g')
      groups[Math.max(0, Math.min(group, groups.length - 1))]?.scrollIntoView({ block: 'start' })
    } else if (event.target.closest('a') === null) keep(isSame(entry, kept) ? null : entry)
  })
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') keep(null)
    if (event.key === 'n') step(1)
    if (event.key === 'p') step(-1)
  })
  document.documentElement.classList.add('script')
}
`
