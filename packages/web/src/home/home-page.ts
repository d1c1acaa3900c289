import { html, type Html } from '../html/html.ts'

/** What this is, and the two lines that an agent needs. */
export function renderHome(baseUrl: string): Html {
  return html`<div class="lead hero">
      <h1>Knowledge packs for language models</h1>
      <p>
        A pack is a markdown text in fewer tokens, with a header that restores it byte for byte. Every figure
        is counted, the header included.
      </p>
      <p class="actions">
        <a class="button primary" href="/browse">Browse packs</a>
        <a class="button" href="/settings">Get a key</a>
      </p>
    </div>
    <section aria-labelledby="agent">
      <h2 id="agent">Two lines in an agent</h2>
      <pre class="code" tabindex="0" data-copy>${SAMPLE}</pre>
      <p>
        Or paste header and content into the prompt: models read the abbreviations as they are. A pack comes
        from
        <code>GET ${baseUrl}/api/v1/packs/{slug}</code> with your key in <code>x-api-key</code>;
        <a href="/docs">the API in full</a>.
      </p>
    </section>`
}

const SAMPLE = `import { decode } from '@packs/codec'
const text = decode(pack.content, pack.rosetta)`
