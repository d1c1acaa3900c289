// Updates the composed prompt after each change of the form, by fetching the page that the form leads to.
const form = document.getElementById('~form')
if (form !== null) {
  const page = document.getElementById('~compose')
  const status = document.getElementById('~status')
  /** Fields that are not replaced. */
  const FIELDS = ['find', 'q', 'budget', 'scheme', 'tokenizer']
  const isQuestion = form.elements.namedItem('q') !== null
  let request = new AbortController()
  let timer = 0
  /** The URL that the page is about to show, and the one that it shows. */
  let current = location.pathname + location.search
  let displayed = current

  const readForm = () => {
    // The form may still have the packs of the URL before.
    const query = new URL(current, location.href).searchParams
    for (const name of FIELDS) {
      const field = form.elements.namedItem(name)
      if (field === null) continue
      query.delete(name)
      if (field.value !== '' || name === 'q') query.set(name, field.value)
    }
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
    document.dispatchEvent(new Event('fresh'))
    if (!key) return
    const keys = [...document.querySelectorAll('[data-key]')]
    // What was moved to an end of the list can only be moved the other way.
    const other = key.replace(/^(up|down) /, (_, way) => (way === 'up' ? 'down ' : 'up '))
    const same = [key, other].map((name) => keys.find((node) => node.dataset.key === name)).find(Boolean)
    ;(same ?? document.getElementById('~chosen')).focus({ preventScroll: true })
  }
  const fillFields = (fresh) => {
    for (const name of FIELDS) {
      const [field, next] = [form, fresh.getElementById('~form')].map((one) => one.elements.namedItem(name))
      if (field && next) field.value = next.value
    }
  }
  /** Shows a URL: as a new step that Back undoes, in place of the one before, or as a step that Back or Forward led to. */
  const update = async (url, step, isFilled = false) => {
    clearTimeout(timer)
    isWaiting = false
    request.abort()
    request = new AbortController()
    const { signal } = request
    const isPromptSame = namePrompt(url) === page.dataset.shown
    if (step === 'push' && url !== current) history.pushState(null, '', url)
    else if (step === 'replace') history.replaceState(null, '', url)
    current = url
    // What is outdated cannot be copied.
    document.getElementById('~result').inert = !isPromptSame
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
      if (isFilled) fillFields(fresh)
      page.dataset.shown = namePrompt(url)
      displayed = url
      status.textContent = ''
    } catch (error) {
      if (signal.aborted) return
      delete page.dataset.shown
      status.textContent = ''
      showFailure(url, error instanceof TypeError ? 'The site cannot be reached.' : error.message)
    }
    page.classList.remove('stale')
    document.getElementById('~result').inert = false
  }
  // Each change while typing takes the place of the one before, so that Back undoes all of them together.
  let isTyping = false
  let isWaiting = false
  const updateSoon = (milliseconds) => {
    clearTimeout(timer)
    isWaiting = true
    timer = setTimeout(() => {
      void update(readForm(), isTyping ? 'replace' : 'push')
      isTyping = true
    }, milliseconds)
  }
  const updateNow = (url, isFilled) => {
    isTyping = false
    void update(url, 'push', isFilled)
  }

  /** Applies to the URL that comes next what a link changes in the one that the page shows. */
  const follow = (href) => {
    if (isWaiting) current = readForm()
    const [link, shown, next] = [href, displayed, current].map(
      (url) => new URL(url, location.href).searchParams,
    )
    for (const name of ['pack', 'section']) {
      const [to, from, own] = [link, shown, next].map((query) => query.getAll(name))
      if (own.join() === from.join()) continue
      const kept = own.filter((part) => to.includes(part) || !from.includes(part))
      const added = to.filter((part) => !from.includes(part) && !own.includes(part))
      link.delete(name)
      for (const part of [...kept, ...added]) link.append(name, part)
    }
    for (const name of FIELDS)
      if (link.get(name) === shown.get(name) && next.get(name) !== shown.get(name)) {
        link.delete(name)
        if (next.has(name)) link.set(name, next.get(name))
      }
    return `/prompt${link.size > 0 ? `?${link}` : ''}`
  }

  page.dataset.shown = namePrompt(location.href)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    updateNow(readForm())
  })
  form.addEventListener('change', ({ target }) => {
    const isAsked =
      !isQuestion || form.elements.q.value === new URL(current, location.href).searchParams.get('q')
    if (isAsked && (target instanceof HTMLSelectElement || target.name === 'budget')) updateNow(readForm())
  })
  form.addEventListener('input', (event) => {
    if (event.isComposing || event.target.name === 'q') return
    if (event.target.name === 'find') updateSoon(250)
    // Each question is charged, so it waits for the whole number.
    if (event.target.name === 'budget' && !isQuestion) updateSoon(400)
  })
  page.addEventListener('click', (event) => {
    const link = event.target.closest('a[data-key]')
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    updateNow(follow(link.href), true)
  })
  addEventListener('popstate', () => {
    const url = location.pathname + location.search
    isTyping = false
    if (url !== current) void update(url, 'show', true)
  })
}
