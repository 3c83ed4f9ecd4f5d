import { useQueryClient } from '@tanstack/react-query';
import { sayAliveAsTrustee, triggerRelease, withdrawConfirmation } from '#shared/contract/release/trustee.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { toast } from '#web/lib/toast.ts';
import { relationshipsKey, summaryKey } from './trustee-data.ts';

/**
 * Triggers a release, after a fresh sign-in where the service wants one.
 *
 * @param onEnded called when there is nothing more to ask: it went through, or it was refused with a sentence.
 */
export function useTrigger(onEnded: (refusal: string | null) => void) {
  const client = useQueryClient();
  const { run, dialog } = useFreshSignIn('Go on with the release');
  const refresh = (ownerUserId: string) =>
    Promise.all([
      client.invalidateQueries({ queryKey: summaryKey(ownerUserId) }),
      client.invalidateQueries({ queryKey: relationshipsKey }),
    ]);

  const trigger = useChange(triggerRelease, {
    through: run,
    onSuccess: ({ released, message }, { params: { ownerUserId } }) => {
      onEnded(null);
      toast({
        title: 'Message Release Triggered',
        description: released ? 'All ready messages have been released to their recipients.' : message,
      });
      refresh(ownerUserId);
    },
    onError: (error, { params: { ownerUserId } }) => {
      if (error instanceof NotConfirmedError) return;
      onEnded(error.message);
      toast({ title: 'Release Failed', description: 'Failed to trigger release', variant: 'destructive' });
      refresh(ownerUserId);
    },
  });

  return {
    dialog,
    isBusy: trigger.isPending,
    trigger: (ownerUserId: string) => {
      if (!trigger.isPending) trigger.mutate({ params: { ownerUserId } });
    },
  };
}

/** Says that the owner is alive and can't answer. @param of.onRefused called with the sentence of the service. */
export function useAliveAnswer({ onSaid, onRefused }: { onSaid: () => void; onRefused: (sentence: string) => void }) {
  const client = useQueryClient();
  const answer = useChange(sayAliveAsTrustee, {
    onSuccess: ({ message }, { params: { ownerUserId } }) => {
      onSaid();
      toast({ title: 'Your answer is kept', description: message });
      return client.invalidateQueries({ queryKey: summaryKey(ownerUserId) });
    },
    onError: (error) => onRefused(error.message),
  });
  return {
    isBusy: answer.isPending,
    say: (ownerUserId: string, reason: string) => {
      if (!answer.isPending) answer.mutate({ params: { ownerUserId }, body: { reason } });
    },
  };
}

/** Withdraws the confirmation. @param onRefused called with the sentence of the service. */
export function useWithdrawal(onRefused: (sentence: string) => void) {
  const client = useQueryClient();
  const withdrawal = useChange(withdrawConfirmation, {
    onSuccess: ({ message }, { params: { ownerUserId } }) => {
      toast({ title: 'Confirmation withdrawn', description: message });
      return client.invalidateQueries({ queryKey: summaryKey(ownerUserId) });
    },
    onError: (error) => onRefused(error.message),
  });
  return {
    isBusy: withdrawal.isPending,
    withdraw: (ownerUserId: string) => {
      if (!withdrawal.isPending) withdrawal.mutate({ params: { ownerUserId } });
    },
  };
}
