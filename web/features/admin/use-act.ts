import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { sessionKey } from '#web/lib/session.ts';
import { toast } from '#web/lib/toast.ts';

type ActOptions<Given> = {
  act: (given: Given) => Promise<unknown>;
  /** Messages for success, and for a failure without a sentence from the service. */
  success: string;
  fallback: string;
  onDone?: (given: Given) => void;
};

type Act<Given> = {
  perform: (given: Given) => void;
  isBusy: boolean;
  /** Error of the last action; null if it succeeded. */
  error: Error | null;
  /** Asks for a fresh sign-in; stands outside of any form. */
  dialog: ReactNode;
};

/** One act of the administrator: done once, told by a notice, and after a fresh sign-in where the service wants one. */
export function useAct<Given>({ act, success, fallback, onDone }: ActOptions<Given>): Act<Given> {
  const client = useQueryClient();
  const { run, dialog } = useFreshSignIn();
  const attempt = useMutation({
    mutationFn: (given: Given) => run(() => act(given)),
    onSuccess: (_, given) => {
      toast({ title: 'Success', description: success });
      onDone?.(given);
      client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    },
    onError: (error) => {
      if (error instanceof NotConfirmedError) return;
      toast({ title: 'Error', description: sentenceOf(error) ?? fallback, variant: 'destructive' });
    },
  });

  return {
    perform: (given) => {
      if (!attempt.isPending) attempt.mutate(given);
    },
    isBusy: attempt.isPending,
    error: attempt.error instanceof NotConfirmedError ? null : attempt.error,
    dialog,
  };
}

/** The service's sentence, or that it was unreachable. A proxy's page is not shown. */
function sentenceOf(error: Error): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.type !== undefined || error.status === 0 ? error.message : undefined;
}
