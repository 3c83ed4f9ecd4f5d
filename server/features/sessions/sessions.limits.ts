const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Wrong current passwords that a session may send, so that a stolen session can't find out the password. */
export const currentPasswordBudget = { limit: 10, windowMs: hourMs };
/** Time to sign in at an identity provider and return. */
export const identityTicketMs = 10 * minuteMs;
/** A ticket allows one return. The count outlives the ticket. */
export const identityTicketBudget = { limit: 1, windowMs: 2 * identityTicketMs };
/** Time for which a browser keeps the verified address for its sign-in page. */
export const verifiedAddressMs = 10 * minuteMs;
/** Idle time after which a session ends. Reading does not count as use, because pages refetch automatically. */
export const sessionIdleMs = 30 * minuteMs;
/** Idle time of a session whose owner chose to stay signed in. */
export const keptSessionIdleMs = 14 * dayMs;
/** Time after the sign-in at which a session ends, even while in use. */
export const sessionAbsoluteMs = 30 * dayMs;
/** Idle and absolute time of an administrator's session. */
export const administratorIdleMs = 20 * minuteMs;
export const administratorAbsoluteMs = 8 * hourMs;
/** Shortest interval between records of a session's use. */
export const sessionTouchEveryMs = minuteMs;
/** Signed-in devices of one owner. The one unused for longest is signed out to make room. */
export const sessionsMax = 50;
/** Largest number of ended sessions and old counts that one sign-in deletes. */
export const tidyBatch = 100;
/** Time between the password and the second factor, enough to find the telephone. */
export const signInStepMs = 10 * minuteMs;
/** Time for which a browser remembers its owner's sign-in. No browser keeps a cookie longer. */
export const knownDeviceMs = 400 * dayMs;
