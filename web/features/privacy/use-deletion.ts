import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { deleteAccount } from '#shared/contract/deletion.ts';
import { accountAfterDeletionDays } from '#shared/rules/retention.ts';
import { ApiError, call } from '#web/lib/api.ts';
import { forgetPerson } from '#web/lib/session.ts';
import { toast } from '#web/lib/toast.ts';

/** Deletes the account, and asks for the password where the service wants it. */
export function useDeletion() {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [needsPassword, setNeedsPassword] = useState(false);
  const deletion = useMutation({
    mutationFn: (password: string | undefined) => call(deleteAccount, { body: password ? { password } : {} }),
    onSuccess: async () => {
      navigate('/');
      await forgetPerson(client);
      toast({
        title: 'Account Deleted',
        description: `You have been signed out everywhere. For ${accountAfterDeletionDays} days, signing in lets you restore it.`,
      });
    },
    onError: (error) => {
      if (error instanceof ApiError && error.type === 'REAUTHENTICATION_REQUIRED') return setNeedsPassword(true);
      if (passwordIssue(error)) return;
      setNeedsPassword(false);
      const description = error.message || 'Failed to delete account';
      toast({ title: 'Deletion Failed', description, variant: 'destructive' });
    },
  });
  return {
    needsPassword,
    passwordError: passwordIssue(deletion.error),
    isBusy: deletion.isPending,
    deleteAccount: (password?: string) => {
      if (!deletion.isPending) deletion.mutate(password);
    },
    dismissPassword: () => setNeedsPassword(false),
  };
}

/** What is wrong with the password that was given. */
function passwordIssue(error: Error | null): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.issues?.find(({ path }) => path === 'password')?.message;
}
