/** Result of one check: the state, and the fix unless all is well. */
export type Finding = {
  /** Subject of the check, in a word or two. */
  what: string;
  /** `poor`: works, and should not stay so. `bad`: something does not work. */
  state: 'well' | 'poor' | 'bad';
  found: string;
  mend?: string;
};

export const well = (what: string, found: string): Finding => ({ what, state: 'well', found });
export const poor = (what: string, found: string, mend: string): Finding => ({ what, state: 'poor', found, mend });
export const bad = (what: string, found: string, mend: string): Finding => ({ what, state: 'bad', found, mend });
