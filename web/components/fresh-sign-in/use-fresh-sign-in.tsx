import { type ReactNode, useState } from 'react';
import { ApiError } from '#web/lib/api.ts';
import { ConfirmIdentity } from './confirm-identity.tsx';

/** Somebody was asked to confirm who they are and thought better of it: nothing was done, and there is nothing to say. */
export class NotConfirmedError extends Error {
  override readonly name = 'NotConfirmedError';
}

export type FreshSignIn = {
  /**
   * Does what may need a fresh sign-in. Where the service asks for one, the person is asked, and it is done again then;
   * until that is decided it is under way, so that whatever was typed for it stays where it is.
   *
   * @throws NotConfirmedError, and whatever `act` throws.
   */
  run<Done>(act: () => Promise<Done>): Promise<Done>;
  /** Show it on the page, outside of any form. */
  dialog: ReactNode;
};

/** @param goLabel the verb and the thing that follows a right password: "Delete my account". */
export function useFreshSignIn(goLabel = 'Go on'): FreshSignIn {
  const [answer, setAnswer] = useState<(isConfirmed: boolean) => void>();

  async function run<Done>(act: () => Promise<Done>): Promise<Done> {
    try {
      return await act();
    } catch (error) {
      if (!isStale(error)) throw error;
    }
    const isConfirmed = await new Promise<boolean>((resolve) => setAnswer(() => resolve));
    setAnswer(undefined);
    if (!isConfirmed) throw new NotConfirmedError('The person did not confirm who they are.');
    return run(act);
  }

  const dialog = answer ? (
    <ConfirmIdentity goLabel={goLabel} onProved={() => answer(true)} onClose={() => answer(false)} />
  ) : null;
  return { run, dialog };
}

function isStale(error: unknown): boolean {
  return error instanceof ApiError && error.type === 'REAUTHENTICATION_REQUIRED';
}
