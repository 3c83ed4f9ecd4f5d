import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useSearch } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import { askedQuestion, questionAddress } from '#shared/rules/letters/writing-questions.ts';
import { toast } from '#web/lib/toast.ts';
import { beginSession } from './sign-in.ts';

/**
 * Starts the session of a person who proved their identity. Opens the dashboard or the message they came for, with a
 * notice.
 */
export function useEntrance(): (user: User) => Promise<void> {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const question = askedQuestion(useSearch());
  return async (user) => {
    toast({ title: 'Success', description: 'Logged in successfully' });
    await beginSession(client, user);
    navigate(question === null ? '/' : questionAddress(question));
  };
}
