/**
 * Makes the style of a page. Where no script runs, it lights up an entry in the pack while one of its places is pointed at, has
 * the focus or is what a link led to.
 *
 * @param entries how many, the best ones, are lit up so
 */
export function createStyle(entries: number): string {
  const pointed = Array.from(
    { length: entries },
    (_, rank) => `.pack:has(.e${rank}:is(:hover,:focus-within,:target)) .e${rank}`,
  )
  const unscripted = pointed.length === 0 ? '' : `${pointed.join(',')}{${LIT}}`
  return `${STYLE}.on{${LIT}}\n@media (scripting:none){.unscripted{display:block}${unscripted}}\n`
}

const LIT = '--mark:var(--on);--ink:var(--on-ink);--edge:var(--on-edge);--note:flex'

const STYLE = `
:root{color-scheme:light dark;
--page:#fff;--panel:#f5f6f8;--line:#dcdfe4;--text:#1b2027;--muted:#555e6b;--link:#0a58b8;
--source:#9aa4b2;--content:#2f6fcb;--header:#8a4fd0;--saved:#1c7c43;--bad:#b3261e;--warn:#8a5a00;
--tint:#e4eefb;--tint-edge:#7fabe3;--on:#ffd84d;--on-ink:#1d1600;--on-edge:#8a6500;
--h1:#fff6ea;--h2:#ffe9cc;--h3:#ffd6a0;--h4:#ffbd70;--h5:#fa9c3f;--heat-ink:#3d2200;--hot-ink:#2a1500;
--t1:#fff0d8;--t2:#ffdcae;--t3:#ffc180}
@media (prefers-color-scheme:dark){:root{
--page:#0f1318;--panel:#171c23;--line:#2b323c;--text:#e2e7ed;--muted:#9ba6b3;--link:#7cb4ff;
--source:#596473;--content:#5b9bf0;--header:#b183ee;--saved:#5cc689;--bad:#ff8a80;--warn:#f0b94a;
--tint:#17324f;--tint-edge:#41719f;--on:#f2c230;--on-ink:#191200;--on-edge:#fff0b3;
--h1:#211b12;--h2:#35270f;--h3:#573c0c;--h4:#815607;--h5:#c98412;--heat-ink:#ffe6c2;--hot-ink:#1c1000;
--t1:#32260f;--t2:#553a0a;--t3:#7d5206}}
*{box-sizing:border-box}
html{scroll-padding:6rem 0 5rem}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-999rem}
.skip:focus{left:1rem;top:.5rem;z-index:4;background:var(--page);padding:.25rem .75rem}
.top{position:sticky;top:0;z-index:3;display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:center;justify-content:space-between;padding:.5rem clamp(1rem,3vw,2.5rem);background:var(--page);border-bottom:1px solid var(--line)}
h1{margin:0;font-size:1.05rem;overflow-wrap:anywhere}
.view{display:flex;gap:.9rem;margin:0;padding:0;border:0;font-size:.9rem;align-items:center}
.view legend{float:left;color:var(--muted);padding:0;margin-inline-end:.9rem}
.view label{display:inline-flex;gap:.35rem;align-items:center;min-height:1.75rem;cursor:pointer}
.view input{accent-color:var(--link);width:1rem;height:1rem;margin:0}
main,footer{padding:0 clamp(1rem,3vw,2.5rem);max-width:110rem;margin:0 auto}
footer{color:var(--muted);font-size:.9rem;padding-block:2rem}
h2{margin:2.5rem 0 0;font-size:1.7rem;line-height:1.25;overflow-wrap:anywhere;letter-spacing:-.01em}
h3{margin:2rem 0 .5rem;font-size:1rem}
.meta{margin:.25rem 0 0;color:var(--muted);font-size:.9rem;overflow-wrap:anywhere}
.meta b{color:var(--text)}
.pack+.pack{border-top:1px solid var(--line);margin-top:4rem}
.rest{color:var(--muted);font-size:.9rem}
.error{color:var(--bad)}.warning{color:var(--warn)}.info{color:var(--link)}
.messages{padding:0;margin:1rem 0;list-style:none;font-size:.9rem;overflow-wrap:anywhere}
.messages li+li{margin-top:.4rem}
.failed h3{overflow-wrap:anywhere;margin:1.25rem 0 0}
.failed .messages{margin:.25rem 0 0}
small{color:var(--muted);font-size:.85rem}
.figures{display:flex;flex-wrap:wrap;gap:.5rem 2.5rem;align-items:end;margin:1.25rem 0 .75rem}
.net{margin:0;color:var(--muted)}
.net b{display:block;font-size:2.4rem;line-height:1.1;color:var(--saved);letter-spacing:-.02em;font-variant-numeric:tabular-nums}
dl{display:flex;flex-wrap:wrap;gap:.5rem 1.75rem;margin:0}
dt{color:var(--muted);font-size:.85rem}
dt[class]:not([class=""])::before,.q.source::before,.q.content::before{content:"";display:inline-block;width:.65rem;height:.65rem;border-radius:2px;margin-inline-end:.35rem;background:currentColor}
dt.source::before,.q.source::before{color:var(--source)}
dt.content::before,.q.content::before{color:var(--content)}
dt.header::before{color:var(--header)}
dt.saved::before{color:var(--saved)}
dd{margin:0;font-size:1.15rem;font-variant-numeric:tabular-nums}
svg{display:block;width:100%}
.bar{height:1.9rem}
.index svg{width:clamp(6rem,22vw,22rem);height:.7rem;margin-top:.45rem}
#index{margin:1.75rem 0 .75rem}
.strip{height:4.5rem;background:var(--panel);border-radius:4px}
.script .strip{cursor:pointer}
rect.source{fill:var(--source)}rect.content{fill:var(--content)}rect.header{fill:var(--header)}rect.saved{fill:var(--saved);opacity:.35}
.legend{display:flex;flex-wrap:wrap;gap:.35rem 1.5rem;align-items:center;margin:.5rem 0;color:var(--muted);font-size:.85rem}
.legend i{font-style:normal}
.legend i[class^="q h"],.legend [class^=t]{display:inline-block;min-width:1.6rem;padding:0 .35rem;text-align:center;border-radius:3px}
.legend [class^=t]{color:var(--text)}
.legend .m{font-weight:400;padding:0 .2rem;color:var(--text)}
.hint{display:none}.script .hint{display:inline}
kbd{font:inherit;border:1px solid var(--line);border-radius:3px;padding:0 .3rem;color:var(--text)}
.scroll{max-height:26rem;overflow:auto;border:1px solid var(--line);border-radius:6px}
.scroll.all{max-height:none}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .75rem;text-align:start;vertical-align:top;border-bottom:1px solid var(--line);font-weight:400}
tbody tr:last-child>*{border-bottom:0}
tfoot>tr>*{border-top:2px solid var(--line);border-bottom:0;font-weight:600}
thead th{position:sticky;top:0;background:var(--panel);color:var(--muted);font-size:.85rem;z-index:1;white-space:nowrap}
.n{text-align:end;white-space:nowrap}
.index th[scope=row]{min-width:10rem;overflow-wrap:anywhere}
.index thead th:first-child,.index th[scope=row]{text-align:start}
.entries th a{font-weight:600}
.entries tr{background:var(--mark,transparent);color:var(--ink,inherit)}
.entries tr a{color:var(--ink,var(--link))}
.entries tbody th,.rosetta,.pair,.c,code{font-family:ui-monospace,"Cascadia Mono","DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:.8125rem}
.entries td:nth-child(2){min-width:11rem;width:100%}
.pair,.rosetta,.c{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;tab-size:4}
.rosetta{max-height:11rem;overflow:auto;padding:.75rem 1rem;line-height:1.75;background:var(--panel);border:1px solid var(--line);border-radius:6px;color:var(--muted)}
.k{unicode-bidi:isolate;color:var(--ink,var(--text));background:var(--mark,transparent);border-radius:3px;cursor:default}
.k b{color:var(--ink,var(--header))}
.rows{border:1px solid var(--line);border-radius:6px;overflow:clip}
.r{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr)}
.g{content-visibility:auto;contain-intrinsic-size:auto 45rem}
.heads{position:sticky;top:2.8rem;z-index:2;background:var(--panel);color:var(--muted);font-size:.85rem;border-bottom:1px solid var(--line)}
.heads>*{padding:.3rem 1rem .3rem 4rem}
.c{position:relative;min-height:1.55rem;line-height:1.55;padding:.05rem 1rem .05rem 4rem}
.c::before{content:attr(data-n);position:absolute;inset:0 auto 0 0;width:3.1rem;padding:.05rem .5rem 0 0;text-align:end;font-variant-numeric:tabular-nums;font-size:.75rem;line-height:1.7;color:var(--heat-ink);unicode-bidi:isolate}
.c+.c{border-inline-start:1px solid var(--line)}
.h0::before{content:""}
.h1::before,.q.h1{background:var(--h1)}.h2::before,.q.h2{background:var(--h2)}.h3::before,.q.h3{background:var(--h3)}
.h4::before,.q.h4{background:var(--h4)}.h5::before,.q.h5{background:var(--h5);color:var(--hot-ink)}
.q[class*=" h"]{color:var(--heat-ink)}.q.h5{color:var(--hot-ink)}
.m{font-weight:inherit;border-radius:2px;background:var(--mark,var(--tint));color:var(--ink,inherit);box-shadow:0 1px 0 var(--edge,var(--tint-edge));cursor:default;-webkit-box-decoration-break:clone;box-decoration-break:clone}
.c i{font-style:normal}
.m.at,.m:target{outline:2px solid var(--on-edge);outline-offset:1px}
.x{font-style:normal;font-size:.8em;padding:0 .2em;border-radius:2px;background:var(--bad);color:var(--page);unicode-bidi:isolate;white-space:nowrap}
.for-tokens,.unscripted{display:none}
body:has(#view-tokens:checked){--tint:transparent;--tint-edge:transparent}
body:has(#view-tokens:checked) .for-tokens{display:inline}
body:has(#view-tokens:checked) .for-entries{display:none}
body:has(#view-tokens:checked) .t1{background:var(--t1)}
body:has(#view-tokens:checked) .t2{background:var(--t2)}
body:has(#view-tokens:checked) .t3{background:var(--t3)}
body:has(#view-tokens:checked) .c .t1,body:has(#view-tokens:checked) .c .t2,body:has(#view-tokens:checked) .c .t3{color:var(--text);border-radius:2px}
.notes{position:sticky;bottom:0;z-index:2}
.o{display:var(--note,none);flex-wrap:wrap;gap:.1rem 1.5rem;justify-content:space-between;margin:0;padding:.5rem 1rem;background:var(--on);color:var(--on-ink);border-radius:6px 6px 0 0;font-size:.9rem;box-shadow:0 -2px 12px #0003}
.o .pair{max-height:7.5rem;overflow:hidden}
@media (max-width:46rem){
.r{grid-template-columns:minmax(0,1fr)}
.heads>:first-child::after{content:", content below where it differs"}
.heads>:last-child{display:none}
.heads{position:static}
.same .c+.c{display:none}
.c,.heads>*{padding-inline:3.25rem .5rem}
.c::before{width:2.5rem}
.c+.c{border-inline-start:0;background:var(--panel)}
.c+.c::after{content:"";position:absolute;inset:0 auto 0 2.5rem;width:3px;background:var(--content)}
th,td{padding:.3rem .5rem}
}
@media print{.top,.notes,.hint{display:none}.scroll,.rosetta{max-height:none;overflow:visible}.g{content-visibility:visible}}
`
