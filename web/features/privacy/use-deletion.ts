import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { deleteAccount } from '#shared/contract/deletion.ts';
import { accountAfterDeletionDays } from '#shared/rules/retention.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { forgetPerson } from '#web/lib/session.ts';
import { toast } from '#web/lib/toast.ts';

/** Choice for letters with a day of their own. */
export type LettersWish = 'leave' | 'take-back';

/** Deletes the account, after a fresh sign-in where the service wants one. */
export function useDeletion() {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { run, dialog } = useFreshSignIn('Delete my account');
  const deletion = useChange(deleteAccount, {
    through: run,
    onSuccess: async () => {
      navigate('/');
      await forgetPerson(client);
      toast({
        title: 'Account Deleted',
        description: `You have been signed out everywhere. For ${accountAfterDeletionDays} days, signing in lets you restore it.`,
      });
    },
    onError: (error) => {
      if (error instanceof NotConfirmedError) return;
      const description = error.message || 'Failed to delete account';
      toast({ title: 'Deletion Failed', description, variant: 'destructive' });
    },
  });
  return {
    dialog,
    isBusy: deletion.isPending,
    deleteAccount: (letters?: LettersWish) => {
      if (!deletion.isPending) deletion.mutate({ body: letters ? { letters } : {} });
    },
  };
}
