// The script of all pages: copy buttons, the current heading, and the key of the search. Without it, pages only lack these.

/** Shows what happened beside a button, to screen readers too. */
function report(button, text) {
  let status = button.nextElementSibling
  if (status?.className !== 'copy-status') {
    status = document.createElement('span')
    status.className = 'copy-status'
    status.setAttribute('role', 'status')
    button.after(status)
  }
  status.textContent = text
  clearTimeout(status.timer)
  status.timer = setTimeout(() => (status.textContent = ''), 4000)
}

/** What a button copies: a text, or a promise of one. */
function findText(button, block) {
  const { copyUrl, copySection } = button.dataset
  const prefix = button.closest('[data-sections]')?.dataset.sections
  const url = copyUrl ?? (copySection === undefined ? undefined : prefix + encodeURIComponent(copySection))
  if (url === undefined) return block?.textContent ?? ''
  return fetch(url).then((response) => {
    if (!response.ok) throw new Error(`Status ${response.status}`)
    return response.text()
  })
}

/** Writes to the clipboard. The promise is passed on, because some browsers allow a copy only in the click itself. */
async function write(text) {
  if (typeof text === 'string' || typeof ClipboardItem === 'undefined')
    return navigator.clipboard.writeText(await text)
  const blob = text.then((part) => new Blob([part], { type: 'text/plain' }))
  return navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
}

async function copy(button) {
  const { copyTarget, copyCode } = button.dataset
  const block =
    copyTarget !== undefined
      ? document.getElementById(copyTarget)
      : copyCode === undefined
        ? null
        : button.parentElement.querySelector('pre')
  const text = findText(button, block)
  try {
    await write(text)
    report(button, 'Copied')
  } catch {
    if (block === null) return report(button, 'Not copied: try again, or select the text')
    getSelection()?.selectAllChildren(block)
    report(button, 'Selected: press Ctrl+C')
  }
}

/** Shows the copy buttons, and adds one to each block that asks for it. */
function showCopyButtons() {
  for (const block of document.querySelectorAll('[data-copy]')) {
    if (block.parentElement.matches('.copy-block')) continue
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    block.id ||= `~copy-${Math.random().toString(36).slice(2)}`
    button.dataset.copyTarget = block.id
    const frame = document.createElement('div')
    frame.className = 'copy-block'
    block.replaceWith(frame)
    frame.append(block, button)
  }
  for (const button of document.querySelectorAll('button.copy[hidden]')) button.hidden = false
}

showCopyButtons()
addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target.closest('button.copy, a.anchor') : null
  if (target?.matches('button')) void copy(target)
  // A link to a heading is copied as well as followed, unless it opens elsewhere.
  else if (target && !event.ctrlKey && !event.metaKey && !event.shiftKey)
    navigator.clipboard?.writeText(target.href).then(
      () => report(target, 'Link copied'),
      () => {},
    )
})

// Marks the heading that is being read in the contents list, which is open beside the text.
const contents = document.querySelector('.contents')
if (contents !== null) {
  const fold = contents.querySelector('details')
  const isBeside = matchMedia('(min-width: 72rem)')
  const unfold = () => fold !== null && (fold.open = isBeside.matches)
  unfold()
  isBeside.addEventListener('change', unfold)
  fold?.addEventListener('click', ({ target }) => {
    if (!isBeside.matches && target instanceof Element && target.closest('a') !== null) fold.open = false
  })
  const links = new Map(
    [...contents.querySelectorAll('a[href^="#"]')].map((link) => [
      decodeURIComponent(link.hash.slice(1)),
      link,
    ]),
  )
  const headings = [...links.keys()]
    .map((id) => document.getElementById(id))
    .filter((heading) => heading !== null)
  let current
  const mark = () => {
    const heading = headings.findLast((one) => one.getBoundingClientRect().top < innerHeight / 4)
    const link = heading && links.get(heading.id)
    if (link === current) return
    current?.removeAttribute('aria-current')
    current = link
    current?.setAttribute('aria-current', 'location')
    const list = current?.closest('.contents')
    if (isBeside.matches && list.scrollHeight > list.clientHeight)
      list.scrollTop = current.offsetTop - list.clientHeight / 2
  }
  let isWaiting = false
  const markSoon = () => {
    if (isWaiting) return
    isWaiting = true
    requestAnimationFrame(() => {
      isWaiting = false
      mark()
    })
  }
  addEventListener('scroll', markSoon, { passive: true })
  mark()
}

// Focuses the search of the page with its key, unless a field has the focus.
addEventListener('keydown', (event) => {
  const search = [...document.querySelectorAll('[data-focus-key]')].find(
    (field) => field.offsetParent !== null,
  )
  if (event.key !== search?.dataset.focusKey || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]'))
    return
  event.preventDefault()
  search.focus()
})
