import { html, type Html } from '@packs/codec/theme'

/** Renders the home page: what packs are, and the code that an agent needs. */
export function renderHome(baseUrl: string): Html {
  return html`<div class="hero">
      <div class="lead">
        <h1>Knowledge packs for language models</h1>
        <p>
          A pack is markdown in fewer tokens, with a header to restore it byte for byte. Agents fetch packs
          through the API; people read them here.
        </p>
        <p class="actions">
          <a class="button primary" href="/browse">Browse packs</a>
          <a class="button" href="/settings">Get a key</a>
        </p>
      </div>
      <section class="card" aria-labelledby="agent">
        <h2 id="agent">Two lines in your agent</h2>
        <pre class="code" tabindex="0" data-copy>${SAMPLE}</pre>
        <p class="quiet">
          <code>pack</code> is the response of
          <code class="address">${baseUrl}/api/v1/packs/<wbr />{slug}</code>. Send your key in the header
          <code class="whole">x-api-key</code>.
        </p>
      </section>
    </div>
    <dl class="facts">
      <div>
        <dt>Exact</dt>
        <dd>A pack decodes to exactly its source. Every build verifies this.</dd>
      </div>
      <div>
        <dt>Honest</dt>
        <dd>Token counts are measured and include the header. No pack costs more than its source.</dd>
      </div>
      <div>
        <dt>Ready to use</dt>
        <dd>Paste the header and content into a prompt, or decode them. See <a href="/docs">the API</a>.</dd>
      </div>
    </dl>`
}

const SAMPLE = `import { decode } from '@packs/codec'
const text = decode(pack.content, pack.rosetta)`
