import type { SealedLetter } from '#shared/contract/messages.ts';

/** A letter as browsers sealed it first: its text alone, with spaces and punctuation in the passphrase, without a hint. */
export const firstSealed = {
  content: 'The blue tin has the photographs.',
  passphrase: "The Lemon  tree, Nan's",
  sealed: {
    version: 1,
    iterations: 600000,
    salt: 'CesF1Zfgiu3dzfP8m8VJ3Q',
    nonce: 'HhnJsfkBi5nIJQyt',
    ciphertext: 'QWLeET-XXAbuFtuks54owLqQtTFkGlCxpq3_dC-51uv2tjusKQcD0BAU-INuJ_rWSQ',
    hint: null,
  } satisfies SealedLetter,
};
