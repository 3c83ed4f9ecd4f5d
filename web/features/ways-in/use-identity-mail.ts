import { useRef, useState } from 'react';
import type { RouteResult } from '#shared/contract/route.ts';
import type { linkIdentity, unlinkIdentity } from '#shared/contract/sign-in/ways-in.ts';
import { ApiError, call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useLinkRead, usePressed } from '#web/lib/api/use-link-read.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';

/** State of the button. */
export type PressState<Done> =
  | { state: 'idle' }
  | { state: 'busy' }
  | { state: 'done'; done: Done }
  | { state: 'failed'; message: string; isFinal: boolean };

export type Linked = RouteResult<typeof linkIdentity>;
export type Unlinked = RouteResult<typeof unlinkIdentity>;

/** Provider that a mailed button would link. Reading changes nothing. */
export function useIdentityLink(token: string) {
  // After the press the link has ended: reading it again would replace the result by an error.
  return useLinkRead(light.getIdentityLink, { token }, { staysFresh: true });
}

/** Provider that "This was not me" would refuse. Reading changes nothing. */
export function useIdentityUnlink(token: string) {
  return useLinkRead(light.getIdentityUnlink, { token }, { staysFresh: true });
}

export function useLinkPress(token: string) {
  const pressed = usePressed(light.linkIdentity, { token });
  return usePress<Linked>(pressed, () => call(light.linkIdentity, { params: { token } }));
}

export function useUnlinkPress(token: string) {
  const pressed = usePressed(light.unlinkIdentity, { token });
  return usePress<Unlinked>(pressed, () => call(light.unlinkIdentity, { params: { token } }));
}

type Pressed<Done> = { data: Done; error: null } | { data: undefined; error: ApiError } | undefined;

/** Sends a press once. `pressed`: the result of a form that was sent without scripts. */
function usePress<Done>(pressed: Pressed<Done>, send: () => Promise<Done>) {
  const isTaken = useRef(false);
  const [press, setPress] = useState<PressState<Done>>(() => {
    if (!pressed) return { state: 'idle' };
    return pressed.error ? failed(pressed.error) : { state: 'done', done: pressed.data };
  });

  async function submit(): Promise<void> {
    if (isTaken.current) return;
    isTaken.current = true;
    setPress({ state: 'busy' });
    try {
      setPress({ state: 'done', done: await send() });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      isTaken.current = false;
      setPress(failed(error));
    }
  }

  return { press, submit };
}

function failed<Done>(error: ApiError): PressState<Done> {
  return { state: 'failed', message: error.message, isFinal: isFinal(error) };
}
