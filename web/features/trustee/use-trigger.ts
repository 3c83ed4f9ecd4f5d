import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { reauthenticate } from '#shared/contract/accounts.ts';
import { triggerRelease } from '#shared/contract/trustee.ts';
import { ApiError, call } from '#web/lib/api.ts';
import { toast } from '#web/lib/toast.ts';
import { relationshipsKey, summaryKey } from './trustee-data.ts';

type Attempt = { ownerUserId: string; password?: string };

/**
 * Triggers a release, and asks for the password first where the service wants it.
 *
 * @param onEnded called when there is nothing more to ask: it went through, or it was refused with a sentence.
 */
export function useTrigger(onEnded: (refusal: string | null) => void) {
  const client = useQueryClient();
  const [needsPassword, setNeedsPassword] = useState(false);
  const refresh = (ownerUserId: string) =>
    Promise.all([
      client.invalidateQueries({ queryKey: [summaryKey(ownerUserId)] }),
      client.invalidateQueries({ queryKey: [relationshipsKey] }),
    ]);

  const trigger = useMutation({
    mutationFn: async ({ ownerUserId, password }: Attempt) => {
      if (password !== undefined) {
        // The session gets a new cookie; a question that is still under way would come back as that of a stranger.
        await client.cancelQueries();
        await call(reauthenticate, { body: { password } });
      }
      return call(triggerRelease, { params: { ownerUserId } });
    },
    onSuccess: ({ released, message }, { ownerUserId }) => {
      setNeedsPassword(false);
      onEnded(null);
      toast(
        released
          ? {
              title: 'Message Release Triggered',
              description: 'All ready messages have been released to their recipients.',
            }
          : { title: 'Your Confirmation Is Kept', description: message },
      );
      refresh(ownerUserId);
    },
    onError: (error, { ownerUserId }) => {
      if (isStale(error)) return setNeedsPassword(true);
      if (passwordIssue(error)) return;
      setNeedsPassword(false);
      onEnded(error.message);
      toast({ title: 'Release Failed', description: 'Failed to trigger release', variant: 'destructive' });
      refresh(ownerUserId);
    },
  });

  return {
    needsPassword,
    passwordError: passwordIssue(trigger.error),
    isBusy: trigger.isPending,
    trigger: (attempt: Attempt) => {
      if (!trigger.isPending) trigger.mutate(attempt);
    },
  };
}

function isStale(error: Error): boolean {
  return error instanceof ApiError && error.type === 'REAUTHENTICATION_REQUIRED';
}

/** What is wrong with the password that was given. */
function passwordIssue(error: Error | null): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.issues?.find(({ path }) => path === 'password')?.message;
}
