import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { reauthenticate } from '#shared/contract/accounts.ts';
import { ApiError, call } from '#web/lib/api.ts';
import { sessionKey } from '#web/lib/session.ts';
import { toast } from '#web/lib/toast.ts';

type ActOptions<Given> = {
  act: (given: Given) => Promise<unknown>;
  /** What is said when it is done, and when it failed without a sentence of the service. */
  success: string;
  fallback: string;
  onDone?: (given: Given) => void;
};

export type Act<Given> = {
  perform: (given: Given) => void;
  isBusy: boolean;
  /** Why it was refused; null where it was not. */
  error: Error | null;
  /** Whether the password is asked for, since the sign-in is old. */
  needsPassword: boolean;
  passwordError: string | undefined;
  givePassword: (password: string) => void;
  giveUp: () => void;
};

type Attempt<Given> = { given: Given; password?: string };

/** One act of the administrator: done once, told by a notice, and after the password where the service wants it. */
export function useAct<Given>({ act, success, fallback, onDone }: ActOptions<Given>): Act<Given> {
  const client = useQueryClient();
  const [waiting, setWaiting] = useState<Given | null>(null);
  const attempt = useMutation({
    mutationFn: async ({ given, password }: Attempt<Given>) => {
      if (password !== undefined) {
        // The session gets a new cookie; a question that is still under way would come back as that of a stranger.
        await client.cancelQueries();
        await call(reauthenticate, { body: { password } });
      }
      return act(given);
    },
    onSuccess: (_, { given }) => {
      setWaiting(null);
      toast({ title: 'Success', description: success });
      onDone?.(given);
      client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    },
    onError: (error, { given }) => {
      if (isStale(error)) return setWaiting(given);
      if (passwordIssue(error)) return;
      setWaiting(null);
      toast({ title: 'Error', description: sentenceOf(error) ?? fallback, variant: 'destructive' });
    },
  });
  const tryOnce = (given: Attempt<Given>) => {
    if (!attempt.isPending) attempt.mutate(given);
  };
  const isAboutPassword = waiting !== null;

  return {
    perform: (given) => tryOnce({ given }),
    isBusy: attempt.isPending,
    error: isAboutPassword ? null : attempt.error,
    needsPassword: isAboutPassword,
    passwordError: isAboutPassword ? passwordIssue(attempt.error) : undefined,
    givePassword: (password) => {
      if (waiting !== null) tryOnce({ given: waiting, password });
    },
    giveUp: () => {
      setWaiting(null);
      attempt.reset();
    },
  };
}

/** What the service says, or that it could not be reached; a proxy's page says nothing to a person. */
function sentenceOf(error: Error): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.type !== undefined || error.status === 0 ? error.message : undefined;
}

function isStale(error: Error): boolean {
  return error instanceof ApiError && error.type === 'REAUTHENTICATION_REQUIRED';
}

/** What is wrong with the password that was given once more. */
function passwordIssue(error: Error | null): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.issues?.find(({ path }) => path === 'password')?.message;
}
