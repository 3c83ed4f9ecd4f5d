const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Lifetime of the link to the button that links a provider; equal to that of a link for a new password. */
export const identityLinkMs = hourMs;
/** Lifetime of "This was not me" in a mail about a provider. */
export const identityNotMeMs = 30 * dayMs;
/** Mails that ask for a link, for each account and day: anyone with an account at the provider can cause them. */
export const identityAsksPerDay = 5;
export const identityAskWindowMs = dayMs;
