import { createPasswords } from '#server/features/accounts/passwords.ts';

/** Argon2id at its cheapest, for tests that are not about passwords: as it should be done it takes most of a sign-in. */
export const cheapPasswords = createPasswords({ memoryKib: 8, passes: 1, lanes: 1 });
