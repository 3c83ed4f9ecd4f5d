/**
 * Imported first of all. The policy does not allow `eval`, so zod is told before it is loaded that it may not compile its
 * schemas.
 */
type PolicyGlobals = { __zod_globalConfig?: { jitless: boolean } };

const globals = globalThis as typeof globalThis & PolicyGlobals;
globals.__zod_globalConfig = { jitless: true };
