// Adds a copy button to blocks with `data-copy`. Without JavaScript visitors select the text themselves.
for (const block of document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  const status = document.createElement('span')
  status.className = 'quiet'
  status.setAttribute('role', 'status')
  const select = () => {
    getSelection()?.selectAllChildren(block)
    status.textContent = 'Selected: press Ctrl+C'
  }
  button.addEventListener('click', () => {
    if (navigator.clipboard === undefined) return select()
    navigator.clipboard.writeText(block.textContent).then(() => (status.textContent = 'Copied'), select)
  })
  const row = document.createElement('p')
  row.className = 'copy-row'
  row.append(button, status)
  block.after(row)
}
