import { useQueryClient } from '@tanstack/react-query';
import { writingQuestions } from '#shared/rules/letters/writing-questions.ts';
import { Button } from '#web/components/ui/button.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';
import { dayAndMonth } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';

/** For owners who can't find words: an optional monthly question by mail. */
export function MonthlyQuestion() {
  const client = useQueryClient();
  const choice = useRead(vaultRoutes.getWritingQuestions);
  const change = useChange(vaultRoutes.chooseWritingQuestions, {
    onSuccess: ({ isWanted }) => {
      toast(
        isWanted
          ? { title: 'A Question a Month', description: 'The first one comes in 30 days.' }
          : { title: 'No More Questions', description: 'You can ask for them again at any time.' },
      );
      client.invalidateQueries();
    },
    onError: ({ message }) => toast({ title: 'Error', description: message, variant: 'destructive' }),
  });
  if (!choice.data) return null;
  const { isWanted, nextAt } = choice.data;
  return (
    <section className="monthly" aria-labelledby="monthly-question">
      <p className="it" id="monthly-question">
        A question a month?
      </p>
      <p className="small quiet">
        {isWanted && nextAt
          ? `You get one by email. The next comes on ${dayAndMonth(nextAt)}.`
          : `One question by email to begin a letter with, such as “${writingQuestions[1].question}”`}
      </p>
      <Button
        variant="text"
        size="small"
        busy={change.isPending}
        onClick={() => change.isPending || change.mutate({ body: { isWanted: !isWanted } })}
      >
        {isWanted ? 'Stop the questions' : 'Send me one each month'}
      </Button>
    </section>
  );
}
