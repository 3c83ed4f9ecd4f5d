import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import {
  answerRelease,
  getRelease,
  type ReleaseOverview,
  type ReturnAnswer,
} from '#shared/contract/release/release.ts';
import { Letterhead } from '#web/components/layout/letterhead.tsx';
import { SupportLines } from '#web/components/ui/support-lines.tsx';
import { ReturnQuestion } from '#web/features/release/return-question.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { keyOf } from '#web/lib/api/reads.ts';
import { forgetPerson } from '#web/lib/session.ts';
import { supportEmail } from '#web/lib/support.ts';
import { toast } from '#web/lib/toast.ts';
import { useTitle } from '#web/lib/use-title.ts';

type Props = {
  user: Pick<User, 'firstName' | 'email'>;
  question: NonNullable<ReleaseOverview['question']>;
  outcome: Pick<ReleaseOverview, 'deliveries' | 'sent'>;
};

/** Replaces every page of a vault whose letters have left, until the signed-in person states who they are. */
export function ReturnQuestionPage({ user, question, outcome }: Props) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const name = user.firstName || user.email;
  useTitle(`Are you ${name}?`);
  const answer = useChange(answerRelease, {
    onSuccess: async (_, { body: { take } }) => {
      navigate('/');
      if (take === 'not-me') await forgetPerson(client);
      else await client.invalidateQueries();
      toast(said[take]);
    },
    onError: async (error) => {
      toast({ title: 'Not saved', description: error.message, variant: 'destructive' });
      await client.invalidateQueries({ queryKey: keyOf(getRelease) });
    },
  });
  return (
    <Letterhead
      gap="widest"
      footer={
        <p>
          Not sure, or upset by this page? Write to <a href={`mailto:${supportEmail}`}>{supportEmail}</a>. A person
          reads it. <SupportLines />
        </p>
      }
    >
      <ReturnQuestion
        name={name}
        question={question}
        outcome={outcome}
        answering={answer.isPending ? answer.variables.body.take : null}
        onAnswer={(take) => {
          if (!answer.isPending) answer.mutate({ body: { take } });
        }}
      />
    </Letterhead>
  );
}

const said: Record<ReturnAnswer, { title: string; description: string }> = {
  back: { title: 'Welcome back', description: 'The unopened letters are yours again. We tell everyone concerned.' },
  leave: { title: 'Welcome back', description: 'Everything stays as it is. What you write now is for another time.' },
  'not-me': { title: 'Thank you', description: 'Nothing has changed, and you are signed out.' },
};
