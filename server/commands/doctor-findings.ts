/** One thing that was looked at: how it is, and how to mend it where it is not well. */
export type Finding = {
  /** What was looked at, in a word or two. */
  what: string;
  /** `poor`: works, and should not stay so. `bad`: something does not work. */
  state: 'well' | 'poor' | 'bad';
  found: string;
  mend?: string;
};

export const well = (what: string, found: string): Finding => ({ what, state: 'well', found });
export const poor = (what: string, found: string, mend: string): Finding => ({ what, state: 'poor', found, mend });
export const bad = (what: string, found: string, mend: string): Finding => ({ what, state: 'bad', found, mend });

/** What is found out by trying: whatever goes wrong is a finding, and its words are cut to what tells no secret. */
export async function tried(what: string, mend: string, look: () => Promise<Finding | Finding[]>): Promise<Finding[]> {
  try {
    return [await look()].flat();
  } catch (error) {
    return [bad(what, reasonOf(error), mend)];
  }
}

/** An error's code where it has one, since messages of drivers repeat addresses with passwords in them. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'It failed.';
  if ('code' in error && typeof error.code === 'string') return `It failed with ${error.code}.`;
  return `It failed (${error.name}).`;
}
