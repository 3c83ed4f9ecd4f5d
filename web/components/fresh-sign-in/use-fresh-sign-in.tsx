import { type ReactNode, useState } from 'react';
import { ApiError } from '#web/lib/api/api.ts';
import { ConfirmIdentity, type Proof } from './confirm-identity.tsx';
import { NotConfirmedError } from './not-confirmed.ts';

type Question = { proof: Proof; answer: (isConfirmed: boolean) => void };

export type FreshSignIn = {
  /**
   * Runs an action that may need a fresh sign-in. If the service asks for one, the person proves their identity and
   * the action runs again. Until then the action is pending, so that typed text stays.
   *
   * @throws NotConfirmedError, and any error of `act`.
   */
  run<Done>(act: () => Promise<Done>): Promise<Done>;
  /** Show it on the page, outside of any form. */
  dialog: ReactNode;
};

/** @param goLabel the verb and the thing that follows a right password: "Delete my account". */
export function useFreshSignIn(goLabel = 'Go on'): FreshSignIn {
  const [question, setQuestion] = useState<Question>();

  async function run<Done>(act: () => Promise<Done>): Promise<Done> {
    const wants = await act().then(
      (done) => ({ done }),
      (error: unknown) => ({ proof: proofWanted(error) }),
    );
    if ('done' in wants) return wants.done;
    const isConfirmed = await new Promise<boolean>((answer) => setQuestion({ proof: wants.proof, answer }));
    setQuestion(undefined);
    if (!isConfirmed) throw new NotConfirmedError('The person did not confirm who they are.');
    return run(act);
  }

  const dialog = question ? (
    <ConfirmIdentity
      wanted={question.proof}
      goLabel={goLabel}
      onProved={() => question.answer(true)}
      onClose={() => question.answer(false)}
    />
  ) : null;
  return { run, dialog };
}

/** @throws the error itself where it asks for no proof. */
function proofWanted(error: unknown): Proof {
  if (!(error instanceof ApiError) || error.type !== 'REAUTHENTICATION_REQUIRED') throw error;
  const paths = error.issues?.map(({ path }) => path) ?? [];
  if (paths.includes('code')) return 'second-step';
  return paths.includes('password') ? 'own' : 'sign-in';
}
