/**
 * Imported first of all. The policy allows neither `eval` nor styles without this answer's nonce, so two libraries are
 * told before they are loaded: zod does not compile its schemas, and what locks the scroll behind a menu stamps the
 * nonce on the style it adds.
 */
type PolicyGlobals = { __zod_globalConfig?: { jitless: boolean }; __webpack_nonce__?: string };

const globals = globalThis as typeof globalThis & PolicyGlobals;
globals.__zod_globalConfig = { jitless: true };

// The browser hides the attribute from scripts that could leak it; the property holds the value.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
if (nonce) globals.__webpack_nonce__ = nonce;
