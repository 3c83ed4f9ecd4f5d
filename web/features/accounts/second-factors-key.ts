import { getSecondFactors } from '#shared/contract/second-factors.ts';

/** Under which what protects the sign-in is kept while the page is open. */
export const secondFactorsKey = getSecondFactors.path;
