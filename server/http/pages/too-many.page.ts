import { html, Markup } from '#server/platform/mail/markup.ts';
import { productName } from '#shared/product.ts';

/** Colours of web/styles/tokens.css. The page stands apart from the built site, since a refusal has to cost little. */
const style = new Markup({
  html: `
:root{color-scheme:light dark;--page:#f3f0e7;--ink:#14302a;--ink-2:#374b44;--edge:#76827a;--action:#1b4f43;--on-action:#fff;--sheet:#fff;--focus:#a85f00}
@media (prefers-color-scheme:dark){:root{--page:#0f1714;--ink:#ece7da;--ink-2:#bdc6bc;--edge:#75857c;--action:#c3dcc9;--on-action:#0f1f19;--sheet:#19231f;--focus:#edbe68}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:400 1.0625rem/1.55 "Source Sans 3","Segoe UI",system-ui,sans-serif;overflow-wrap:anywhere}
main{width:min(100% - 2rem,40rem);margin-inline:auto;padding:3rem 0}
.wordmark,h1{font-family:"Newsreader","Iowan Old Style",Georgia,serif;font-weight:400;line-height:1.2}
.wordmark{font-size:1.5rem;margin:0 0 2rem}
h1{font-size:clamp(1.75rem,1.3rem + 2vw,2.5rem);margin:0 0 1rem}
p{color:var(--ink-2)}
label{display:block;margin:1rem 0 .25rem;color:var(--ink)}
input{width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid var(--edge);border-radius:4px;background:var(--sheet);color:var(--ink);font:inherit}
button,.button{display:inline-flex;align-items:center;min-height:2.75rem;margin-top:1rem;padding:.5rem 1.25rem;border:0;border-radius:4px;background:var(--action);color:var(--on-action);font:inherit;text-decoration:none;cursor:pointer}
:focus-visible{outline:3px solid var(--focus);outline-offset:3px}
`,
  text: '',
  isBlock: false,
});

/** Fields that are typed again: a page never holds a password. */
const passwordLabels: Readonly<Record<string, string>> = {
  password: 'Password',
  confirmPassword: 'The password once more',
};

export type TooMany = {
  seconds: number;
  nonce: string;
  /** Fields of the form that was refused; null if a page was asked for. */
  typed: Record<string, unknown> | null;
};

/** The page in place of one that was asked for too often, or of the answer to a form that was sent too often. */
export function tooManyPage({ seconds, nonce, typed }: TooMany): string {
  return html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Wait a moment – ${productName}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
<p class="wordmark">${productName}</p>
<h1>Wait a moment, then try again</h1>
<p>Too many pages were asked for from your connection in a short time. You can try again in ${inWords(seconds)}.</p>
${typed === null ? html`<a class="button" href="">Try again</a>` : form(typed)}
</main>
</body>
</html>
`.html;
}

/** Sends the same form again, to the same address. */
function form(typed: Record<string, unknown>): Markup {
  const fields = Object.entries(typed).flatMap(([name, value]) =>
    [value].flat().map((one) => ({ name, value: String(one) })),
  );
  const kept = fields.filter(({ name }) => !Object.hasOwn(passwordLabels, name));
  const again = fields.filter(({ name }) => Object.hasOwn(passwordLabels, name));
  return html`<p>Nothing you typed is lost. This button sends it again${again.length > 0 && ' when you have typed your password once more'}.</p>
<form method="post">
${kept.map(({ name, value }) => html`<input type="hidden" name="${name}" value="${value}">`)}
${again.map(({ name }) => html`<label for="${name}">${passwordLabels[name]}</label><input id="${name}" type="password" name="${name}" required>`)}
<button>Try again</button>
</form>`;
}

function inWords(seconds: number): string {
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
