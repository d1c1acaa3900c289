import { createTermRules, TERM_SCRIPT, TERM_STYLE, THEME } from '@packs/codec/theme'

/**
 * Creates the stylesheet of the page, with the colors and fonts of the pages of `pack serve`.
 * Without scripts it highlights an entry everywhere in its pack while one of its elements is
 * hovered, has the focus or is the target of a link.
 *
 * @param entries how many entries of each pack, best first, get such a rule
 */
export function createStyle(entries: number): string {
  const rules = createTermRules(entries, '.pack')
  return `${STYLE}\n@media (scripting:none){.unscripted{display:block}${rules}}\n`
}

const STYLE = `
${THEME}${TERM_STYLE}:root{--h1:#fdf4e3;--h2:#fbe6c4;--h3:#f8d294;--h4:#f3b960;--h5:#e79a35;--heat-ink:#3d2200;--hot-ink:#2a1500;
--t1:#fceccb;--t2:#f9d79e;--t3:#f4bd6a}
@media (prefers-color-scheme:dark){:root{--h1:#241d12;--h2:#382a10;--h3:#573c0c;--h4:#815607;--h5:#c98412;--heat-ink:#ffe6c2;--hot-ink:#1c1000;
--t1:#33270f;--t2:#553a0a;--t3:#7d5206}}
*{box-sizing:border-box}
html{scroll-padding:6rem 0 5rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 var(--sans)}
a{color:var(--accent-ink);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}
.skip{position:absolute;left:-999rem}
.skip:focus{left:1rem;top:.5rem;z-index:4;background:var(--sheet);padding:.25rem .75rem;border-radius:var(--radius)}
.top{position:sticky;top:0;z-index:3;display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:center;justify-content:space-between;padding:.6rem max(clamp(1rem,3vw,2.5rem),calc((100vw - 105rem)/2));background:var(--paper);border-bottom:1px solid var(--line)}
.top svg{width:1.5rem;height:1.5rem;flex:none}
h1{display:flex;gap:.5rem;align-items:center;margin:0;font-size:1.1rem;line-height:1.25;overflow-wrap:anywhere}
.view{display:flex;gap:.9rem;margin:0;padding:0;border:0;font-size:.925rem;align-items:center}
.view legend{float:left;color:var(--quiet);padding:0;margin-inline-end:.9rem}
.view label{display:inline-flex;gap:.35rem;align-items:center;min-height:1.75rem;cursor:pointer}
.view input{accent-color:var(--accent);width:1rem;height:1rem;margin:0}
main,footer{padding:0 clamp(1rem,3vw,2.5rem);max-width:110rem;margin:0 auto}
footer{color:var(--quiet);font-size:.875rem;padding-block:2rem}
footer p{margin:0;padding-top:1rem;border-top:1px solid var(--line)}
h2{margin:2.5rem 0 0;font-size:clamp(1.65rem,1.3rem + 1.6vw,2.25rem);line-height:1.25;overflow-wrap:anywhere;letter-spacing:-.02em;text-wrap:balance}
h3{margin:2.25rem 0 .6rem;font-size:1.15rem;line-height:1.25}
.meta{margin:.35rem 0 0;color:var(--quiet);font-size:.925rem;overflow-wrap:anywhere}
.meta b{color:var(--ink)}
.pack+.pack{border-top:1px solid var(--line);margin-top:4rem}
.rest{color:var(--quiet);font-size:.925rem}
.error{color:var(--bad)}.warning{color:var(--header)}.info{color:var(--accent-ink)}
.messages{padding:0;margin:1rem 0;list-style:none;font-size:.925rem;overflow-wrap:anywhere}
.messages li+li{margin-top:.4rem}
.failed h3{overflow-wrap:anywhere;margin:1.25rem 0 0}
.failed .messages{margin:.25rem 0 0}
small{color:var(--quiet);font-size:.875rem}
.figures{display:flex;flex-wrap:wrap;gap:.75rem 3rem;align-items:end;margin:1.5rem 0 .9rem}
.net{margin:0;color:var(--quiet);font-size:.925rem}
.net b{display:block;font-size:2.5rem;line-height:1.1;color:var(--accent-ink);letter-spacing:-.02em;font-variant-numeric:tabular-nums}
dl{display:flex;flex-wrap:wrap;gap:.5rem 2rem;margin:0}
dt{color:var(--quiet);font-size:.875rem}
dt[class]:not([class=""])::before,.q.source::before,.q.content::before{content:"";display:inline-block;width:.7rem;height:.7rem;border-radius:2px;margin-inline-end:.4rem;background:var(--swatch,var(--source))}
dt.content,.q.content{--swatch:var(--accent)}
dt.header{--swatch:var(--header)}
dt.saved{--swatch:var(--saved)}
dt.saved::before{box-shadow:inset 0 0 0 1px var(--accent)}
dd{margin:0;font-size:1.15rem;font-variant-numeric:tabular-nums}
svg{display:block;width:100%}
.bar{height:2.25rem;border-radius:4px}
.index svg{width:clamp(4rem,22vw,22rem);height:.5rem;margin-top:.6rem;border-radius:4px}
#index{margin:2rem 0 1rem}
.strip{height:4.5rem;padding:.35rem .35rem 0;background:var(--sheet);border:1px solid var(--line);border-radius:var(--radius)}
.script .strip{cursor:pointer}
rect.source{fill:var(--source)}rect.content{fill:var(--accent)}rect.header{fill:var(--header)}rect.saved{fill:var(--saved)}
.legend{display:flex;flex-wrap:wrap;gap:.35rem 1.5rem;align-items:center;margin:.6rem 0;color:var(--quiet);font-size:.875rem}
.legend i{font-style:normal}
.legend i[class^="q h"],.legend [class^=t]{display:inline-block;min-width:1.6rem;padding:0 .35rem;text-align:center;border-radius:3px}
.legend [class^=t]{color:var(--ink)}
.legend .m{font-weight:400;padding:0 .2rem;color:var(--ink)}
.hint{display:none}.script .hint{display:inline}
kbd{font:inherit;border:1px solid var(--line-strong);border-radius:4px;padding:0 .3rem;color:var(--ink)}
.scroll{max-height:26rem;overflow:auto;background:var(--sheet);border:1px solid var(--line);border-radius:var(--radius)}
.scroll.all{max-height:none}
table{border-collapse:collapse;width:100%;font-size:.925rem;font-variant-numeric:tabular-nums}
th,td{padding:.4rem .75rem;text-align:start;vertical-align:top;border-bottom:1px solid var(--line);font-weight:400}
tbody tr:last-child>*{border-bottom:0}
tfoot>tr>*{border-top:1px solid var(--line-strong);border-bottom:0;font-weight:600}
thead th{position:sticky;top:0;background:var(--soft);color:var(--quiet);font-size:.875rem;font-weight:600;z-index:1;white-space:nowrap}
.n{text-align:end;white-space:nowrap}
.index th[scope=row]{min-width:8rem;overflow-wrap:anywhere}
.index thead th:first-child,.index th[scope=row]{text-align:start}
.entries th a{font-weight:600}
.entries tr{background:var(--mark,transparent);color:var(--mark-ink,inherit)}
.entries tr a{color:var(--mark-ink,var(--accent-ink))}
.entries tbody th,.rosetta,.pair,.c,code{font-family:var(--mono);font-size:.8125rem}
.entries td:nth-child(2){min-width:11rem;width:100%}
.pair,.rosetta,.c{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;tab-size:4}
.rosetta{max-height:11rem;overflow:auto;padding:.85rem 1rem;line-height:1.75;background:var(--sheet);border:1px solid var(--line);border-radius:var(--radius);color:var(--quiet)}
.rows{background:var(--sheet);border:1px solid var(--line);border-radius:var(--radius);overflow:clip}
.r{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr)}
.g{content-visibility:auto;contain-intrinsic-size:auto 45rem}
.heads{position:sticky;top:3rem;z-index:2;background:var(--soft);color:var(--quiet);font-size:.875rem;font-weight:600;border-bottom:1px solid var(--line)}
.heads>*{padding:.4rem 1rem .4rem 4rem}
.c{position:relative;min-height:1.6rem;line-height:1.6;padding:.05rem 1rem .05rem 4rem}
.c::before{content:attr(data-n);position:absolute;inset:0 auto 0 0;width:3.1rem;padding:.05rem .5rem 0 0;text-align:end;font-variant-numeric:tabular-nums;font-size:.75rem;line-height:1.7;color:var(--heat-ink);unicode-bidi:isolate}
.c+.c{border-inline-start:1px solid var(--line)}
.h0::before{content:""}
.h1::before,.q.h1{background:var(--h1)}.h2::before,.q.h2{background:var(--h2)}.h3::before,.q.h3{background:var(--h3)}
.h4::before,.q.h4{background:var(--h4)}.h5::before,.q.h5{background:var(--h5);color:var(--hot-ink)}
.q[class*=" h"]{color:var(--heat-ink)}.q.h5{color:var(--hot-ink)}
.c i{font-style:normal}
.for-tokens,.unscripted{display:none}
body:has(#view-tokens:checked){--tint:transparent;--tint-edge:transparent}
body:has(#view-tokens:checked) .for-tokens{display:inline}
body:has(#view-tokens:checked) .for-entries{display:none}
body:has(#view-tokens:checked) .t1{background:var(--t1)}
body:has(#view-tokens:checked) .t2{background:var(--t2)}
body:has(#view-tokens:checked) .t3{background:var(--t3)}
body:has(#view-tokens:checked) .c .t1,body:has(#view-tokens:checked) .c .t2,body:has(#view-tokens:checked) .c .t3{color:var(--ink);border-radius:2px}
.notes{position:sticky;bottom:0;z-index:2}
@media (max-width:46rem){
.r{grid-template-columns:minmax(0,1fr)}
.heads>:first-child::after{content:", content below where it differs"}
.heads>:last-child{display:none}
.heads{position:static}
.same .c+.c{display:none}
.c,.heads>*{padding-inline:3.25rem .5rem}
.c::before{width:2.5rem}
.c+.c{border-inline-start:0;background:var(--soft)}
.c+.c::after{content:"";position:absolute;inset:0 auto 0 2.5rem;width:3px;background:var(--accent)}
th,td{padding:.35rem .5rem}
}
@media print{.top,.notes,.hint{display:none}.scroll,.rosetta{max-height:none;overflow:visible}.g{content-visibility:visible}}
`

/**
 * Optional script of the page: lights the entries, and scrolls to the part of the text that is
 * clicked in the strip of tokens.
 */
export const REPORT_SCRIPT: string = `${TERM_SCRIPT}
document.addEventListener('click', (event) => {
  const strip = event.target.closest('.strip')
  if (strip === null) return
  const { left, width } = strip.getBoundingClientRect()
  const group = Math.floor((Number(strip.dataset.groups) * (event.clientX - left)) / width)
  const groups = strip.closest('.pack').querySelectorAll('.g')
  groups[Math.max(0, Math.min(group, groups.length - 1))]?.scrollIntoView({ block: 'start' })
})
`
