// Updates the composed prompt after each change of the form, by fetching the page that the form leads to.
// Buttons that came after the script of all pages looked for them get their function here.
const copy = async ({ dataset }, status) => {
  const source = dataset.copyTarget === undefined ? null : document.getElementById(dataset.copyTarget)
  try {
    const response = source === null ? await fetch(dataset.copyUrl) : null
    if (response !== null && !response.ok) throw new Error('failed')
    await navigator.clipboard.writeText(source === null ? await response.text() : source.textContent)
    status.textContent = 'Copied'
  } catch {
    if (source !== null) getSelection()?.selectAllChildren(source)
    status.textContent = source === null ? 'Not copied: download it' : 'Selected: press Ctrl+C'
  }
}
const addCopies = () => {
  for (const [at, block] of document.querySelectorAll('pre[data-copy]').entries()) {
    if (block.nextElementSibling?.matches('.copy-row')) continue
    block.id ||= `~line-${at}`
    const row = document.createElement('p')
    row.className = 'copy-row'
    row.innerHTML = '<button type="button" class="copy" hidden>Copy</button>'
    row.firstChild.dataset.copyTarget = block.id
    block.after(row)
  }
  for (const button of document.querySelectorAll('.copy[hidden]')) {
    const status = document.createElement('span')
    status.className = 'quiet'
    status.setAttribute('role', 'status')
    button.after(status)
    button.hidden = false
    button.addEventListener('click', (event) => {
      event.stopPropagation()
      void copy(button, status)
    })
  }
}
addCopies()

const form = document.getElementById('~form')
if (form !== null) {
  const page = document.getElementById('~compose')
  const status = document.getElementById('~status')
  let request = new AbortController()
  let timer = 0

  const readForm = () => {
    const query = new URLSearchParams()
    for (const [name, value] of new FormData(form))
      if (value !== '' || name === 'q') query.append(name, value)
    return `/prompt${query.size > 0 ? `?${query}` : ''}`
  }
  /** The part of a URL that the prompt depends on. */
  const namePrompt = (url) => {
    const { searchParams } = new URL(url, location.href)
    searchParams.delete('find')
    return String(searchParams)
  }
  const showFailure = (url, message) => {
    const note = document.createElement('div')
    note.className = 'note note-bad'
    const text = document.createElement('p')
    text.textContent = message
    const again = document.createElement('a')
    again.className = 'button'
    again.href = url
    again.textContent = 'Try again'
    note.append(text, again)
    document.getElementById('~result').replaceChildren(note)
  }
  /** Replaces the live parts, and keeps the focus where it was. */
  const show = (fresh, isPromptSame) => {
    const key = document.activeElement?.getAttribute('data-key')
    for (const part of document.querySelectorAll('[data-live]')) {
      if (isPromptSame && part.id === '~result') continue
      const next = fresh.getElementById(part.id)
      if (next !== null) part.replaceWith(document.adoptNode(next))
    }
    addCopies()
    if (!key) return
    const same = [...document.querySelectorAll('[data-key]')].find((node) => node.dataset.key === key)
    ;(same ?? document.getElementById('~chosen')).focus({ preventScroll: true })
  }
  const update = async (url) => {
    clearTimeout(timer)
    request.abort()
    request = new AbortController()
    const { signal } = request
    const isPromptSame = namePrompt(url) === page.dataset.shown
    history.replaceState(null, '', url)
    if (!isPromptSame) {
      page.classList.add('stale')
      status.textContent = 'The total is being recomputed…'
    }
    try {
      const response = await fetch(url, { signal, headers: { accept: 'text/html' } })
      const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
      if (signal.aborted) return
      if (fresh.getElementById('~compose') === null)
        throw new Error(fresh.querySelector('h1')?.textContent ?? 'The page could not be loaded.')
      show(fresh, isPromptSame)
      page.dataset.shown = namePrompt(url)
      status.textContent = ''
    } catch (error) {
      if (signal.aborted) return
      delete page.dataset.shown
      status.textContent = ''
      showFailure(url, error instanceof TypeError ? 'The site cannot be reached.' : error.message)
    }
    page.classList.remove('stale')
  }
  const updateSoon = (milliseconds) => {
    clearTimeout(timer)
    timer = setTimeout(() => update(readForm()), milliseconds)
  }

  page.dataset.shown = namePrompt(location.href)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void update(readForm())
  })
  form.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement) void update(readForm())
  })
  form.addEventListener('input', (event) => {
    if (event.isComposing || event.target.name === 'q') return
    if (event.target.name === 'find') updateSoon(250)
    if (event.target.name === 'budget') updateSoon(400)
  })
  page.addEventListener('click', (event) => {
    const link = event.target.closest('a[data-key]')
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    const { searchParams } = new URL(link.href)
    if (link.dataset.key === 'clear') form.elements.find.value = ''
    // These fields are not replaced.
    for (const name of ['budget', 'q']) {
      const field = form.elements.namedItem(name)
      if (field !== null && link.dataset.key.match(/^(?:no-budget|raise)$/))
        field.value = searchParams.get(name) ?? ''
    }
    void update(link.href)
  })
}
