/**
 * Must be imported first. The policy forbids `eval`, so zod is configured not to compile its schemas before it loads.
 */
type PolicyGlobals = { __zod_globalConfig?: { jitless: boolean } };

const globals = globalThis as typeof globalThis & PolicyGlobals;
globals.__zod_globalConfig = { jitless: true };
