import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useSearch } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import { askedQuestion, questionAddress } from '#shared/rules/letters/writing-questions.ts';
import { toast } from '#web/lib/toast.ts';
import { beginSession } from './sign-in.ts';

/** Takes a person in who has proved who they are: to the dashboard, or to the sheet they came for, with the notice that says so. */
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
