// The script of all pages: copy buttons, the current heading, the key of the search, and packs of the prompt. Without it, pages
// only lack these.

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
  const { copyUrl, copySection, copyParts } = button.dataset
  if (copyParts !== undefined)
    return [...button.closest('section').querySelectorAll('[data-part]')]
      .filter((part) => part.closest('.omitted') === null)
      .map(({ dataset, textContent }) => (dataset.text ? decodeURIComponent(dataset.text) : textContent))
      .join('')
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
  for (const button of document.querySelectorAll('button:is(.copy, .omit)[hidden]')) button.hidden = false
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

// The packs of the prompt with their tokens, which a tab keeps. On /prompt the URL says what they are.
const MAX_PACKS = 50
const promptLink = document.querySelector('nav a[data-prompt]')
const builder = document.querySelector('.builder')
const announcer = document.createElement('span')
announcer.className = 'unseen'
announcer.setAttribute('role', 'status')
document.body.append(announcer)

const count = (number, noun) => `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`
const slugOf = (name) => name.split('@')[0]

/** What the tab keeps by a name, or undefined. */
function recall(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** Returns whether the browser keeps the value. */
function remember(name, value) {
  try {
    sessionStorage.setItem(name, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

const readPacks = () => recall('packs') ?? []
const writePacks = (packs) => remember('packs', packs.slice(0, MAX_PACKS))

/** A link without a version is to any that was chosen. */
const findPack = (packs, name) => packs.find(([chosen]) => chosen === name || slugOf(chosen) === name)

/** Shows the packs in the navigation and on their links. Returns them in words. */
function showPacks() {
  const packs = readPacks()
  const sum = packs.reduce((total, [, tokens]) => total + tokens, 0)
  // Who gets previews pays less than the whole packs, whose tokens the links have.
  const isWhole = promptLink.dataset.prompt === 'whole'
  const tokens = isWhole ? count(Number(builder?.dataset.total) || sum, 'token') : ''
  const names = packs.map(([name]) => `pack=${encodeURIComponent(name).replace('%40', '@')}`)
  promptLink.href = packs.length === 0 ? '/prompt' : `/prompt?${names.join('&')}`
  const chosen = promptLink.querySelector('.chosen')
  chosen.hidden = packs.length === 0
  chosen.querySelector('b').textContent = packs.length
  chosen.querySelector('small').textContent = tokens
  for (const link of document.querySelectorAll('a[data-add]')) {
    const isIn = findPack(packs, link.dataset.add) !== undefined
    link.setAttribute('role', 'button')
    link.classList.toggle('added', isIn)
    link.firstChild.data = isIn ? 'Added ✓' : 'Add to prompt'
    link.title = isIn ? 'Remove from the prompt' : ''
  }
  return [count(packs.length, 'pack'), tokens].filter(Boolean).join(', ')
}

/** Adds a pack, or removes it. Returns false where the link should be followed. */
function togglePack({ dataset }) {
  const packs = readPacks()
  const name = dataset.add
  const own = findPack(packs, name)
  const others = packs.filter(([chosen]) => slugOf(chosen) !== slugOf(name))
  if (own === undefined && others.length >= MAX_PACKS) {
    announcer.textContent = `Not added. A prompt has at most ${MAX_PACKS} packs`
    return true
  }
  if (!writePacks(own === undefined ? [...others, [name, Number(dataset.tokens)]] : others)) return false
  announcer.textContent = `${own === undefined ? 'Added' : 'Removed'}, ${showPacks()}`
  return true
}

/** On /prompt, takes the packs of the page, or opens those that were chosen. */
function openPrompt() {
  if (builder !== null && new URLSearchParams(location.search).has('pack')) {
    const shown = [...builder.querySelectorAll('li[data-pack]')]
    writePacks(shown.map(({ dataset }) => [dataset.pack, Number(dataset.tokens)]))
  }
  showPacks()
  if (builder !== null && promptLink.search !== '' && !location.search.includes('pack='))
    location.replace(promptLink.href)
}

openPrompt()
addEventListener('pageshow', ({ persisted }) => persisted && openPrompt())
addEventListener('keydown', (event) => {
  if (event.key !== ' ' || !event.target.matches?.('a[data-add]')) return
  event.preventDefault()
  event.target.click()
})
addEventListener('click', (event) => {
  if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey) return
  const link = event.target.closest('a[data-add]')
  if (link !== null && togglePack(link)) event.preventDefault()
  if (event.target.closest('.builder a[href="/prompt"]') !== null) writePacks([])
  const omit = event.target.closest('.omit')
  if (omit !== null) omitPassage(omit)
})

/** Omits a passage from what the button above copies, or takes it back. */
function omitPassage(button) {
  const passages = [...button.closest('section').querySelectorAll('li')]
  const isOut = button.closest('li').classList.toggle('omitted')
  button.textContent = isOut ? 'Put back' : '×'
  button.setAttribute('aria-label', isOut ? 'Put back' : 'Remove passage')
  const out = passages.filter((passage) => passage.matches('.omitted'))
  const copyButton = button.closest('section').querySelector('.copy')
  const left = out.reduce((sum, { dataset }) => sum - dataset.tokens, copyButton.dataset.tokens)
  copyButton.disabled = out.length === passages.length
  copyButton.textContent = `Copy ${copyButton.disabled ? 'nothing' : count(left, 'token')}`
}

// Filters are applied on change. The changed field has the focus on the next page too.
const filters = document.querySelector('.filters form')
filters?.querySelector(`[name="${recall('field')}"]`)?.focus({ preventScroll: true })
remember('field', '')
filters?.addEventListener('change', ({ target }) => {
  remember('field', target.name)
  filters.requestSubmit()
})
