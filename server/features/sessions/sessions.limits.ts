const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Wrong current passwords somebody signed in may give; a stolen session must not become the password. */
export const currentPasswordBudget = { limit: 10, windowMs: hourMs };
/** From leaving for an identity provider to coming back, with time to choose an account and type its password there. */
export const identityTicketMs = 10 * minuteMs;
/** A ticket is good for one return. The count outlives the ticket. */
export const identityTicketBudget = { limit: 1, windowMs: 2 * identityTicketMs };
/** How long a browser remembers for the sign-in page which address was verified in it. */
export const verifiedAddressMs = 10 * minuteMs;
/** A session nobody used for so long has ended. Reading does not count as use, since pages refetch by themselves. */
export const sessionIdleMs = 30 * minuteMs;
/** The same where its holder chose to stay signed in. */
export const keptSessionIdleMs = 14 * dayMs;
/** However much it is used, a session ends this long after the sign-in. */
export const sessionAbsoluteMs = 30 * dayMs;
/** The same two for the designated administrator. */
export const administratorIdleMs = 20 * minuteMs;
export const administratorAbsoluteMs = 8 * hourMs;
/** A session's last use is written down at most this often. */
export const sessionTouchEveryMs = minuteMs;
/** Devices signed in at once; the one unused for longest is signed out to make room. */
export const sessionsMax = 50;
/** Ended sessions and old counts that one sign-in tidies away. */
export const tidyBatch = 100;
/** From the right password to the second factor, with time to find the telephone. */
export const signInStepMs = 10 * minuteMs;
/** How long a browser remembers that its owner signed in there; browsers keep no cookie for longer. */
export const knownDeviceMs = 400 * dayMs;
