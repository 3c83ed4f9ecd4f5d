const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Links by mail for each address, so that no stranger can flood a mailbox. */
export const resetMailBudget = { limit: 5, windowMs: hourMs };
export const verificationMailBudget = { limit: 5, windowMs: hourMs };
/** A code that was texted, and how often it may be mistyped. */
export const phoneCodeMs = 10 * minuteMs;
export const phoneCodeTriesMax = 5;
/** Codes texted to one number from all accounts, and from one account to all numbers: texts cost money, and annoy. */
export const phoneCodesOfNumberBudget = { limit: 3, windowMs: dayMs };
export const phoneCodesOfAccountBudget = { limit: 6, windowMs: dayMs };
export const registrationBudget = { limit: 10, windowMs: hourMs };
export const verificationLinkMs = dayMs;
export const resetLinkMs = hourMs;
/** Time for which the link "This was not me" works, even if the address is verified meanwhile. */
export const notMeLinkMs = 30 * dayMs;
