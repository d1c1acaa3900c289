// Compresses pasted markdown in a worker, which is loaded with the first text. The text is sent to that worker only.
const MAX_BYTES = 2_000_000
/** UTF-16 units of a prompt that are shown, so that a browser can handle them. */
const MAX_SHOWN = 60_000
const TYPING_MS = 500
const NAMES = { none: 'Source', 'minify-1': 'Lean', 'dense-2': 'Dense', 'max-2': 'Max' }

const find = (id) => document.getElementById(`~${id}`)
const root = find('try')
const format = (number) => number.toLocaleString('en-US')
const count = (number, one) => `${format(number)} ${number === 1 ? one : `${one}s`}`
const formatBytes = (bytes) =>
  bytes < 1000
    ? count(bytes, 'byte')
    : bytes < 1e6
      ? `${format(Math.round(bytes / 100) / 10)} KB`
      : `${format(Math.round(bytes / 1e5) / 10)} MB`
const say = (text, isBad = false) => {
  find('status').textContent = text
  find('status').classList.toggle('refusal', isBad)
}

let worker
let isBusy = false
/** Number of the text that is being compressed; an older one is given up. */
let current = 0
/** The text as it was pasted or read: a text field changes its line ends. */
let raw = ''
let results = new Map()
let chosen = 'minify-1'
let shown

if (root !== null) listen()

function listen() {
  const text = find('text')
  let timer
  text.addEventListener('paste', ({ clipboardData }) => {
    const file = clipboardData?.files[0]
    if (file === undefined) raw = clipboardData?.getData('text/plain') ?? ''
    else void readFile(file)
  })
  text.addEventListener('input', ({ inputType }) => {
    clearTimeout(timer)
    timer = setTimeout(() => void run(readSource()), inputType === 'insertFromPaste' ? 0 : TYPING_MS)
  })
  root.addEventListener('dragover', (event) => {
    event.preventDefault()
    root.classList.add('over')
  })
  root.addEventListener('dragleave', () => root.classList.remove('over'))
  root.addEventListener('drop', (event) => {
    root.classList.remove('over')
    event.preventDefault()
    const [file] = event.dataTransfer.files
    void (file === undefined ? setSource(event.dataTransfer.getData('text/plain')) : readFile(file))
  })
  find('choose').addEventListener('click', () => find('file').click())
  find('file').addEventListener('change', ({ target }) => {
    if (target.files[0] !== undefined) void readFile(target.files[0])
    target.value = ''
  })
  find('clear').addEventListener('click', () => {
    void setSource('')
    text.focus()
  })
  find('example').addEventListener('click', () => void loadExample())
  for (const row of root.querySelectorAll('tr[data-scheme]'))
    row.addEventListener('click', () => {
      const input = row.querySelector('input')
      if (input.disabled) return
      chosen = input.value
      show(results.get(chosen))
    })
  find('copy').addEventListener('click', () => void copyPrompt())
  for (const id of ['expand', 'gone']) find(id).addEventListener('change', () => show(shown))
  listenToTerms(find('prompt'))
  if (location.hash === '#example') void loadExample()
}

function setSource(text) {
  raw = text
  find('text').value = text
  return run(text)
}

/** Returns what was pasted or read, unless the field was changed since. */
function readSource() {
  const { value } = find('text')
  return raw.replace(/\r\n?/g, '\n') === value ? raw : value
}

async function readFile(file) {
  const mine = ++current
  if (file.size > MAX_BYTES) return refuseSize(file.size)
  const bytes = await file.arrayBuffer()
  if (mine !== current) return
  let text
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    text = '\0'
  }
  if (text.includes('\0')) {
    reset()
    return say(`${file.name} is not a text file in UTF-8. Choose a markdown file.`, true)
  }
  await setSource(text)
}

function refuseSize(bytes) {
  reset()
  say(
    `That is ${count(bytes, 'byte')}, and this page takes up to ${format(MAX_BYTES)}. The command pack build takes up to 16 MB.`,
    true,
  )
}

async function loadExample() {
  try {
    const response = await fetch(root.dataset.example)
    if (!response.ok) throw new Error(`Status ${response.status}`)
    await setSource(await response.text())
  } catch {
    say('The example could not be loaded. Check your connection, then try again.', true)
  }
}

/** Forgets all results. */
function reset() {
  if (isBusy) stopWorker()
  results = new Map()
  shown = undefined
  find('result').hidden = true
  find('legend').hidden = true
  for (const row of root.querySelectorAll('tr[data-scheme]')) {
    row.querySelector('input').disabled = true
    row.querySelector('input').checked = false
    row.querySelector('.try-bar').replaceChildren()
    for (const cell of row.querySelectorAll('td')) cell.textContent = '–'
  }
}

/** Compresses a text in one scheme after another, and shows each result as it comes. */
async function run(text) {
  const mine = ++current
  reset()
  find('clear').hidden = text === ''
  find('example').classList.toggle('primary', text === '')
  if (text === '')
    return say(worker ? 'The program is loaded.' : `Downloads ${root.dataset.size} on first use.`)
  const bytes = new TextEncoder().encode(text).length
  if (bytes > MAX_BYTES) return refuseSize(bytes)
  try {
    isBusy = true
    if (worker === undefined) {
      say(`Loading the program, ${root.dataset.size} …`)
      await startWorker()
      if (mine !== current) return
    }
    const start = performance.now()
    for (const scheme of Object.keys(NAMES)) {
      say(`Compressing ${formatBytes(bytes)}: ${NAMES[scheme]} …`)
      const result = await ask({ text, scheme })
      if (mine !== current) return
      results.set(scheme, { ...result, bytes })
      fillRow(result)
      if (shown === undefined || scheme === chosen) show(results.get(scheme))
    }
    isBusy = false
    finish(text, bytes, performance.now() - start)
  } catch (error) {
    if (mine !== current) return
    stopWorker()
    reset()
    say(error.message, true)
  }
}

function startWorker() {
  return new Promise((resolve, reject) => {
    worker = new Worker(root.dataset.worker, { type: 'module' })
    worker.onmessage = () => resolve()
    worker.onerror = () =>
      reject(new Error('The program could not be loaded. Check your connection, then paste the text again.'))
  })
}

function stopWorker() {
  worker?.terminate()
  worker = undefined
  isBusy = false
}

function ask(task) {
  return new Promise((resolve, reject) => {
    const fail = (reason) => reject(new Error(`The program failed with ${task.scheme}: ${reason}`))
    worker.onmessage = ({ data }) => (data.failure === undefined ? resolve(data) : fail(data.failure))
    worker.onerror = ({ message }) => fail(message)
    worker.postMessage(task)
  })
}

function finish(text, bytes, ms) {
  const all = [...results.values()]
  const best = all.reduce((least, result) => (result.tokens < least.tokens ? result : least))
  const took = `${formatBytes(bytes)} in ${ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`}.`
  const notes = [`Done: ${took}`]
  if (!text.isWellFormed?.() && text.isWellFormed !== undefined)
    notes.push('It has half of a surrogate pair, which is not Unicode text, so it stays unchanged.')
  else if (best.tokens === best.source)
    notes.push(
      'Nothing can be left out and nothing repeats often enough, so every scheme sends it unchanged.',
      ...(best.source < 1000 ? ['Longer texts save more: try a few pages.'] : []),
    )
  if (text.includes('[DECODE]'))
    notes.push('It contains [DECODE], the marker of a header; here that is text like any other.')
  say(notes.join(' '))
}

function fillRow({ scheme, source, tokens, head }) {
  const row = root.querySelector(`tr[data-scheme="${scheme}"]`)
  const saved = source - tokens
  row.querySelector('input').disabled = false
  const [cost, saving] = row.querySelectorAll('td')
  cost.textContent = format(tokens)
  saving.textContent = `${((100 * Math.max(0, saved)) / source).toFixed(1)} %`
  saving.classList.toggle('saving', saved > 0)
  if (saved > 0) saving.title = count(saved, 'token')
  const parts = [
    ['content', tokens - head],
    ['header', head],
    ['saved', saved],
  ]
  row.querySelector('.try-bar').replaceChildren(
    ...parts
      .filter(([, size]) => size > 0)
      .map(([name, size]) => {
        const part = create('span', name)
        part.style.flexGrow = size / source
        return part
      }),
  )
  find('legend').hidden = false
}

function create(name, className, text = '') {
  const element = document.createElement(name)
  element.className = className
  element.textContent = text
  return element
}

/** A term or the number of a link, which shows what it stands for. */
function createTerm(className, text, data) {
  const term = create('bdi', className, text)
  Object.assign(term.dataset, data)
  term.setAttribute('role', 'button')
  term.tabIndex = -1
  return term
}

const mark = (entry, text) => createTerm('try-term', text, { entry })

function markNumber({ number, address }) {
  return Object.assign(createTerm('try-term try-number', number, { address }), { title: address })
}

/** Renders the content with what left the text struck through, and returns the room that is left. */
function renderContent({ entries, parts, patch }, isExpanded) {
  const body = create('div', 'try-content')
  let room = MAX_SHOWN
  const add = (node, length) => {
    body.append(node)
    room -= length
  }
  // The rows say what left the text before an offset; a term hides the offsets inside it.
  const gone = find('gone').checked ? [...patch] : []
  const strike = (before) => {
    while (gone.length > 0 && gone[0][0] < before && room > 0) {
      const [, , left] = gone.shift()
      if (left !== '') add(create('del', '', left.slice(0, room)), left.length)
    }
  }
  let at = 0
  for (const part of parts) {
    if (room <= 0) break
    strike(at + 1)
    if (typeof part === 'string') {
      const end = at + part.length
      while (at < end && room > 0) {
        const next = Math.min(end, gone[0]?.[0] ?? end)
        const text = part.slice(part.length - (end - at), part.length - (end - next))
        add(text.slice(0, room).replace(/[\uD800-\uDBFF]$/, ''), text.length)
        at = next
        if (at < end) strike(at + 1)
      }
      continue
    }
    if (typeof part === 'object') {
      add(markNumber(part), part.number.length)
      at += part.number.length
    } else {
      const text = isExpanded ? entries[part].full : entries[part].term
      add(mark(part, text.slice(0, room).replace(/[\uD800-\uDBFF]$/, '')), text.length)
      at += entries[part].full.length
    }
    strike(at)
  }
  strike(Infinity)
  return { body, room }
}

/** Shows the prompt of a result with its terms marked. */
function show(result) {
  if (result === undefined) return
  shown = result
  const { scheme, tokens, source, copied, entries, parts, patch, instruction, isExact, bytes } = result
  find('command').textContent = `pack build notes.md${scheme === 'minify-1' ? '' : ` --scheme ${scheme}`}`
  for (const input of root.querySelectorAll('input[type="radio"]')) input.checked = input.value === scheme
  find('result').hidden = false
  find('result-title').textContent = `The prompt, ${NAMES[scheme]}`
  find('copy').textContent = `Copy ${count(copied.tokens, 'token')}`
  find('proof').className = isExact ? 'try-proof' : 'refusal'
  find('proof').textContent = isExact
    ? `Restored exactly: all ${count(bytes, 'byte')}.`
    : 'Your text was not restored exactly. This is a bug: please report it with the text.'
  find('switch').hidden = entries.length === 0
  find('gone-switch').hidden = patch.length === 0
  const isExpanded = find('expand').checked && entries.length > 0
  const uses = entries.map(() => 0)
  for (const part of parts) if (typeof part === 'number') uses[part]++
  const nodes = []
  if (entries.length > 0 && !isExpanded) {
    const header = create('p', 'try-header', '[DECODE] ')
    for (const [at, { term, expansion }] of entries.entries()) {
      const pair = create('span', 'entry')
      pair.append(mark(at, term), '=', create('bdi', '', expansion.replaceAll('\n', '↵')))
      if (at > 0) header.append('|')
      header.append(pair)
    }
    nodes.push(create('p', 'try-instruction', instruction), header)
  }
  if (entries.length === 0 && instruction !== '') nodes.push(create('p', 'try-instruction', instruction))
  const { body, room } = renderContent(result, isExpanded)
  nodes.push(body)
  find('prompt').replaceChildren(...nodes)
  const has = [entries.length > 0 && 'the instruction', isNumbered(parts) && 'no addresses of links']
  find('rest').textContent = [
    has.some(Boolean) && `The copy has ${has.filter(Boolean).join(' and ')}.`,
    room <= 0 && `This shows the first ${format(MAX_SHOWN)} characters. Copying takes all of it.`,
  ]
    .filter(Boolean)
    .join(' ')
  find('prompt').scrollTop = 0
  const first = body.querySelector('.try-term')
  if (first !== null) first.tabIndex = 0
  const isSaving = tokens < source
  showNote(
    isSaving
      ? entries.length > 0
        ? `${count(entries.length, 'term')}. Hover, focus or tap one to see its expansion.`
        : 'Comments, padding and addresses are gone: any model reads this.'
      : 'This is your text, unchanged.',
  )
  find('prompt').entries = entries.map((entry, at) => ({ ...entry, uses: uses[at] }))
}

const isNumbered = (parts) => parts.some((part) => typeof part === 'object')

function showNote(...content) {
  const line = create('span', '')
  line.append(...content)
  find('note').replaceChildren(line)
}

/** Shows the expansion of a term that is hovered, focused or tapped, and lights all its places. */
function listenToTerms(frame) {
  let lit
  const light = (target) => {
    const term = target instanceof Element ? target.closest('.try-term') : null
    if (term === null) return
    const { address, entry } = term.dataset
    if (address === undefined && entry === lit) return
    for (const place of frame.querySelectorAll('.try-term.on')) place.classList.remove('on')
    lit = entry
    if (address !== undefined) return showNote('(', term.textContent, ') = ', create('bdi', 'full', address))
    for (const place of frame.querySelectorAll(`.try-term[data-entry="${lit}"]`)) place.classList.add('on')
    const { term: name, full, uses } = frame.entries[lit]
    const count = `${format(uses)} ${uses === 1 ? 'use' : 'uses'}`
    showNote(
      create('bdi', 'name', name),
      ' = ',
      create('bdi', 'full', full.replaceAll('\n', '↵')),
      ` · ${count}`,
    )
  }
  for (const type of ['pointerover', 'focusin', 'click'])
    frame.addEventListener(type, ({ target }) => light(target))
  new MutationObserver(() => (lit = undefined)).observe(frame, { childList: true })
  frame.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, n: 1, ArrowLeft: -1, p: -1 }[event.key]
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const terms = [...frame.querySelectorAll('.try-content .try-term')]
    if (terms.length === 0) return
    event.preventDefault()
    const at = terms.indexOf(document.activeElement)
    const next = at < 0 ? 0 : (at + step + terms.length) % terms.length
    for (const term of frame.querySelectorAll('.try-term[tabindex="0"]')) term.tabIndex = -1
    terms[next].tabIndex = 0
    terms[next].focus()
  })
}

async function copyPrompt() {
  const button = find('copy')
  try {
    await navigator.clipboard.writeText(shown.copied.text)
    button.textContent = 'Copied'
  } catch {
    // Without https there is no clipboard: a field with the whole text is selected and copied.
    const field = create('textarea', 'try-hidden')
    field.value = shown.copied.text
    document.body.append(field)
    field.select()
    button.textContent = document.execCommand('copy') ? 'Copied' : 'Copying is not allowed here'
    field.remove()
    button.focus()
  }
  say(
    button.textContent === 'Copied'
      ? `Copied the prompt: ${format(shown.copied.tokens)} tokens.`
      : 'Your browser does not allow copying here.',
  )
}
