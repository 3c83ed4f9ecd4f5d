import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useSyncExternalStore } from 'react';
import { getRevenue } from '#shared/contract/admin.ts';
import { getSecondFactors } from '#shared/contract/second-factors.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { Empty } from '#web/components/ui/empty.tsx';
import { call } from '#web/lib/api/api.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { asksForProof, isPanelRead, useQuietRevenue } from './admin-data.ts';
import { useAct } from './use-act.ts';

/**
 * Shows the panel once the administrator has proved enough. If more proof is needed, loaded data and typed text stay,
 * and a notice asks for it without interrupting.
 */
export function ProofGate({ children }: { children: ReactNode }) {
  const { isRefused, hasRead } = useReading();
  const proof = useAct({
    act: () => call(getRevenue),
    success: 'You can go on.',
    fallback: 'Failed to confirm that it is you',
  });
  const action = (
    <Button size="small" variant="secondary" busy={proof.isBusy} onClick={() => proof.perform(undefined)}>
      Confirm that it is you
    </Button>
  );
  return (
    <>
      {isRefused && hasRead ? (
        <Banner action={action}>
          <b>What you see is from a while ago.</b> Everybody’s account is behind this page, so we ask now and then who
          is here.
        </Banner>
      ) : null}
      {isRefused && !hasRead ? (
        <Empty
          drawing="key"
          title="Is it you?"
          text="Everybody’s account is behind this page, so we ask now and then who is here."
          action={action}
        />
      ) : (
        children
      )}
      {proof.dialog}
    </>
  );
}

/** `isRefused`: a read of the page needs a proof of identity. `hasRead`: data was loaded before. */
function useReading(): { isRefused: boolean; hasRead: boolean } {
  const cache = useQueryClient().getQueryCache();
  // One that is read here, so that there is an answer while all else is hidden.
  useQuietRevenue();
  const shown = () => cache.findAll({ type: 'active', predicate: ({ queryKey }) => isPanelRead(queryKey) });
  // Later, since a part that is being drawn may have caused it.
  const subscribe = (onChange: () => void) => cache.subscribe(notifyManager.batchCalls(onChange));
  const isRefused = useSyncExternalStore(subscribe, () => shown().some(({ state }) => asksForProof(state.error)));
  const hasRead = useSyncExternalStore(subscribe, () => shown().some(({ state }) => Boolean(state.data)));
  return { isRefused, hasRead };
}

/**
 * True if the administrator has yet to set a second step up, without which the service answers nothing; undefined at
 * first.
 */
export function useLacksSecondStep(): boolean | undefined {
  const { data, isPending } = useRead(getSecondFactors);
  if (isPending) return undefined;
  // If it could not be read, the panel itself shows the refusal.
  return Boolean(data && !data.authenticator && data.passkeys.length === 0);
}

/** In place of the whole panel. */
export function SecondStepFirst() {
  return (
    <Empty
      drawing="key"
      title="Set up a second step first"
      text="Only a password protects this account, and it can see every other. Give it a passkey or an authenticator app, then come back: the panel opens."
      action={<ButtonLink href="/privacy">Set up a second step</ButtonLink>}
    />
  );
}
