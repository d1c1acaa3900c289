import { html, type Html } from '../../html/html.ts'

/** What this is, and the two lines that an agent needs. */
export function renderHome(baseUrl: string): Html {
  return html`<div class="hero">
      <div class="lead">
        <h1>Knowledge packs for language models</h1>
        <p>
          A pack is a markdown text in fewer tokens, with a header that restores it byte for byte. Agents
          fetch packs by API, people read them here.
        </p>
        <p class="actions">
          <a class="button primary" href="/browse">Browse packs</a>
          <a class="button" href="/settings">Get a key</a>
        </p>
      </div>
      <section class="card" aria-labelledby="agent">
        <h2 id="agent">Two lines in an agent</h2>
        <pre class="code" tabindex="0" data-copy>${SAMPLE}</pre>
        <p class="quiet">
          <code>pack</code> is the answer of
          <code class="address">${baseUrl}/api/v1/packs/<wbr />{slug}</code> to your key in the header
          <code class="whole">x-api-key</code>.
        </p>
      </section>
    </div>
    <dl class="facts">
      <div>
        <dt>Exact</dt>
        <dd>What a pack gives back is its source, proven when it is built.</dd>
      </div>
      <div>
        <dt>Honest</dt>
        <dd>Every figure is counted, the header included; no pack costs more than its source.</dd>
      </div>
      <div>
        <dt>At hand</dt>
        <dd>Paste header and content into a prompt, or decode them. See <a href="/docs">the API</a>.</dd>
      </div>
    </dl>`
}

const SAMPLE = `import { decode } from '@packs/codec'
const text = decode(pack.content, pack.rosetta)`
