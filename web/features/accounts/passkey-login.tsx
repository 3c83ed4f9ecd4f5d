import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { User } from '#shared/contract/accounts.ts';
import { Button } from '#web/components/ui/button.tsx';
import { call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { answerWithPasskey, knowsPasskeys, offersPasskeysInFields, passkeyFailure } from '#web/lib/passkeys.ts';
import { toast } from '#web/lib/toast.ts';
import { useEntrance } from './use-entrance.ts';

/** A passkey in place of address and password: by a button, and, where the browser can, in the field of the address. */
export function PasskeyLogin({ keepSignedIn }: { keepSignedIn: boolean }) {
  const enter = useEntrance();
  const signIn = useMutation({
    mutationFn: () => signInWithPasskey(false, () => keepSignedIn),
    onSuccess: ({ user }) => enter(user),
    onError: (error) => {
      const description = passkeyFailure(error);
      if (description) toast({ title: 'Login Failed', description, variant: 'destructive' });
    },
  });
  useOfferInField(enter, keepSignedIn);
  if (!knowsPasskeys()) return null;
  return (
    <Button variant="secondary" wide busy={signIn.isPending} onClick={() => signIn.mutate()}>
      {signIn.isPending ? 'Waiting for your passkey…' : 'Sign in with a passkey'}
    </Button>
  );
}

/** Asks whether to stay signed in once the passkey was given: in the field that may be minutes later. */
async function signInWithPasskey(inField: boolean, keeps: () => boolean) {
  const question = await call(light.askLoginPasskey);
  const answer = await answerWithPasskey(question, inField);
  return call(light.loginWithPasskey, { body: { ...answer, keepSignedIn: keeps() } });
}

/** Offers passkeys where the address is typed, for as long as the page is open. Whatever fails there fails quietly. */
function useOfferInField(enter: (user: User) => void, keepSignedIn: boolean): void {
  const latest = useRef({ enter, keepSignedIn });
  latest.current = { enter, keepSignedIn };
  useEffect(() => {
    let isHere = true;
    const offer = async () => {
      if (!(await offersPasskeysInFields()) || !isHere) return;
      const { user } = await signInWithPasskey(true, () => latest.current.keepSignedIn);
      if (isHere) latest.current.enter(user);
    };
    // Left unanswered, or overtaken by the button: the page goes on without it.
    offer().catch(() => undefined);
    return () => {
      isHere = false;
      import('@simplewebauthn/browser').then(({ WebAuthnAbortService }) => WebAuthnAbortService.cancelCeremony());
    };
  }, []);
}
