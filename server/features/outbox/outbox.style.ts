/**
 * Styles of the outbox page, which works without the built site. `.words` is a mail's text, `.look` the frame that shows
 * its HTML. Colours match web/styles/tokens.css; fonts of the site are used if they load.
 */
export const outboxStyle = `
@font-face{font-family:"Newsreader";src:url("/fonts/newsreader-roman.woff2") format("woff2");font-weight:320 400;font-display:swap}
@font-face{font-family:"Source Sans 3";src:url("/fonts/source-sans-3.woff2") format("woff2");font-weight:400 700;font-display:swap}
:root{color-scheme:light dark;--page:#f3f0e7;--sheet:#fff;--ink:#14302a;--ink-2:#374b44;--ink-3:#56665f;--rule:#d3cebe;--edge:#76827a;--action:#1b4f43;--on-action:#fff;--amber:#f8e9c9;--brick:#f8e3dc;--moss:#dfebda;--stone:#e6e5dc;--focus:#a85f00;--tone:#dce3d3;
--serif:"Newsreader","Iowan Old Style","Palatino Linotype",Palatino,Georgia,serif;--sans:"Source Sans 3","Segoe UI",system-ui,-apple-system,"Helvetica Neue",Arial,sans-serif}
@media (prefers-color-scheme:dark){:root{--page:#0f1714;--sheet:#19231f;--ink:#ece7da;--ink-2:#bdc6bc;--ink-3:#9aa69d;--rule:#2e3b35;--edge:#75857c;--action:#c3dcc9;--on-action:#0f1f19;--amber:#372b12;--brick:#3d211a;--moss:#1d3323;--stone:#28332e;--focus:#edbe68;--tone:#24342d}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:400 1.0625rem/1.55 var(--sans);overflow-wrap:anywhere}
a{color:var(--action);text-underline-offset:.2em}
:focus-visible{outline:3px solid var(--focus);outline-offset:3px;border-radius:3px}
.skip{position:absolute;left:1rem;top:-5rem;background:var(--action);color:var(--on-action);padding:.75rem 1.25rem}
.skip:focus{top:.5rem}
.bar,main{width:min(100% - 2rem,80rem);margin-inline:auto}
.bar{padding:.75rem 0 .25rem;border-bottom:3px solid var(--ink);box-shadow:0 3px 0 var(--page),0 4px 0 var(--ink)}
.wordmark{display:inline-flex;align-items:center;min-height:2.75rem;font:400 1.5rem/1.2 var(--serif);letter-spacing:-.01em;color:var(--ink);text-decoration:none}
main{padding:2.5rem 0 4rem}
h1,h2{font-family:var(--serif);font-weight:400;line-height:1.15;margin:0;text-wrap:balance}
h1{font-size:clamp(1.75rem,1.3rem + 2vw,2.75rem);letter-spacing:-.015em}
h2{font-size:1.1875rem;margin:0 0 .75rem}
.lead{max-width:40rem;margin:.75rem 0 0;color:var(--ink-2)}
.back{margin:-.75rem 0 .5rem}
.back a,.pager a,.row-title{display:inline-flex;align-items:center;min-height:2.75rem}
.list{list-style:none;margin:2rem 0 0;padding:0;border-top:1px solid var(--rule)}
.row{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.125rem 1.5rem;padding:.5rem 0 1rem;border-bottom:1px solid var(--rule)}
.row-title{justify-self:start;font:400 1.25rem/1.3 var(--serif);color:var(--ink)}
.row-to{grid-row:2;color:var(--ink-2)}
.address{color:var(--ink-3)}
.row-time{grid-column:2;grid-row:1;color:var(--ink-3);font-variant-numeric:tabular-nums lining-nums;align-self:center}
.row .state{grid-column:2;grid-row:2;justify-self:end}
.state{display:inline-block;align-self:start;padding:.0625rem .625rem;border-radius:4px;background:var(--stone);font-size:.9375rem;white-space:nowrap}
.state-accepted{background:var(--moss)}
.state-pending,.state-sending{background:var(--amber)}
.state-bounced,.state-dead{background:var(--brick)}
.facts{display:flex;flex-wrap:wrap;gap:.5rem 2.5rem;margin:1.25rem 0 0}
.facts dt{color:var(--ink-3);font-size:.9375rem}
.facts dd{margin:0}
.parts{display:grid;gap:2rem;margin:2rem 0 0;max-width:46rem}
.sheet{display:block;width:100%;margin:0;background:var(--sheet);border:1px solid var(--rule);border-radius:3px}
.words{padding:1.5rem;font:400 .9375rem/1.6 ui-monospace,"Cascadia Mono",Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.look{height:46rem}
.pager{display:flex;gap:2rem;margin:2rem 0 0}
.empty{margin:3rem 0;max-width:32rem}
.plate{fill:var(--tone)}
.line{fill:none;stroke:var(--ink);stroke-width:1.75;stroke-linejoin:round}
.button{display:inline-block;padding:.75rem 1.5rem;border-radius:6px;background:var(--action);color:var(--on-action);font-weight:600;text-decoration:none}
@media (min-width:78rem){.two{grid-template-columns:minmax(0,42rem) minmax(0,1fr);max-width:none}.two .words{font-size:.875rem}}
@media (max-width:40rem){.row{grid-template-columns:minmax(0,1fr)}.row>*,.row .state{grid-column:1;grid-row:auto;justify-self:start}}
@media (prefers-contrast:more){:root{--ink-3:var(--ink-2);--rule:var(--edge)}}
`;
