const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A challenge for a passkey is good for one answer within five minutes. The count outlives it. */
export const passkeyChallengeMs = 5 * minuteMs;
export const passkeyChallengeBudget = { limit: 1, windowMs: 2 * passkeyChallengeMs };
/** First codes that a user may type while setting up an authenticator app. */
export const confirmCodeBudget = { limit: 20, windowMs: hourMs };
export const passkeysMax = 20;
