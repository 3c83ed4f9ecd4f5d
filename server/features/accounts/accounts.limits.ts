const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Counts one use of something that has a name. @throws AppError `RATE_LIMITED` when its budget is spent. */
export type SpendBudget = (name: string, budget: { limit: number; windowMs: number }) => Promise<void>;

/** Links asked for by mail, for each address, so that nobody's mailbox can be filled through us. */
export const resetMailBudget = { limit: 5, windowMs: hourMs };
export const verificationMailBudget = { limit: 5, windowMs: hourMs };
/** Wrong current passwords somebody signed in may give; a stolen session must not become the password. */
export const currentPasswordBudget = { limit: 10, windowMs: hourMs };
/** A code that was texted, and how often it may be mistyped. */
export const phoneCodeMs = 10 * minuteMs;
export const phoneCodeTriesMax = 5;
/** Codes texted to one number, whoever asks, and for one account, whatever the number: texts cost money, and annoy. */
export const phoneCodesOfNumberBudget = { limit: 3, windowMs: dayMs };
export const phoneCodesOfAccountBudget = { limit: 6, windowMs: dayMs };
/** Registrations for one address. */
export const registrationBudget = { limit: 10, windowMs: hourMs };

/** From leaving for an identity provider to coming back, with time to choose an account and type its password there. */
export const identityTicketMs = 10 * minuteMs;
/** A ticket is good for one return. The count outlives the ticket. */
export const identityTicketBudget = { limit: 1, windowMs: 2 * identityTicketMs };

export const verificationLinkMs = dayMs;
export const resetLinkMs = hourMs;
/** How long somebody may say that an account is not theirs, from the mail that asked; verified or not meanwhile. */
export const notMeLinkMs = 30 * dayMs;
/** How long a browser remembers for the sign-in page which address was verified in it. */
export const verifiedAddressMs = 10 * minuteMs;

/** What can't be undone asks for a sign-in, or the password, no older than this. */
export const freshSignInMs = 10 * minuteMs;

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
/** A challenge for a passkey is good for one answer within five minutes. The count outlives it. */
export const passkeyChallengeMs = 5 * minuteMs;
export const passkeyChallengeBudget = { limit: 1, windowMs: 2 * passkeyChallengeMs };
/** First codes that somebody setting up an authenticator app may type. */
export const confirmCodeBudget = { limit: 20, windowMs: hourMs };
export const passkeysMax = 20;
/** How long a browser remembers that its owner signed in there; browsers keep no cookie for longer. */
export const knownDeviceMs = 400 * dayMs;
