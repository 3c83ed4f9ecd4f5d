import { useState } from 'react';
import { Link } from 'wouter';
import { Notice } from '#web/components/layout/notice.tsx';
import { PressForm, pressName } from '#web/components/layout/press-form.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { ConfirmDialog } from '#web/components/ui/dialog.tsx';
import { longDate } from '#web/lib/format.ts';
import type { AnswerState, Declined } from './use-invitation.ts';

type AnsweredProps = { ownerName: string; answer: AnswerState; onAnswer: (accept: boolean) => void };

/** After a yes: nothing to do now, and the way out of the role. */
export function AcceptedNotice({ ownerName, answer, onAnswer }: AnsweredProps) {
  const [isAsking, setAsking] = useState(false);
  const isBusy = answer.state === 'busy';
  const owner = <bdi>{ownerName}</bdi>;
  return (
    <Notice drawing="hands" title="You have accepted already">
      <p>You are a trusted contact for {owner}. You do not need to do anything now.</p>
      <p>
        If something has happened to {owner}, you can tell us at{' '}
        <Link href="/emergency-activation">emergency activation</Link>.
      </p>
      <PressForm onPress={() => setAsking(true)}>
        <Button type="submit" name={pressName} value="decline" variant="secondary">
          Leave the role
        </Button>
      </PressForm>
      <p className="small quiet">This link goes on working, so you can leave at any time.</p>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => onAnswer(false)}
        title="Leave the role?"
        text={
          <>
            <p>We tell {owner} by email.</p>
            <p>We no longer ask you what has happened to {owner}. Links that we sent you for that stop working.</p>
            <p>If you think again, you can come back within 30 days, with this same link.</p>
            <Failure answer={answer} />
          </>
        }
        cancelLabel="Stay a trusted contact"
        confirmLabel={isBusy ? 'Leaving…' : 'Leave the role'}
        busy={isBusy}
        danger
      />
    </Notice>
  );
}

type DeclinedProps = AnsweredProps & { declined: Declined };

/** After a no: confirms it, and states until when it can be changed. */
export function DeclinedNotice({ ownerName, declined, answer, onAnswer }: DeclinedProps) {
  const { hasLeft, answerableUntil } = declined;
  const isBusy = answer.state === 'busy';
  const owner = <bdi>{ownerName}</bdi>;
  return (
    <Notice drawing="letter" title={hasLeft ? 'You have left the role' : 'You have declined'}>
      <p>You are not a trusted contact for {owner}, and we do not ask you anything.</p>
      <p>
        If you change your mind, you can accept with this same link
        {answerableUntil ? ` until ${longDate(answerableUntil)}` : null}. After that, ask {owner} to invite you again.
      </p>
      <Failure answer={answer} />
      <PressForm onPress={() => onAnswer(true)}>
        <Button type="submit" name={pressName} value="accept" variant="secondary" busy={isBusy}>
          {isBusy ? 'Accepting…' : 'Accept after all'}
        </Button>
      </PressForm>
    </Notice>
  );
}

function Failure({ answer }: { answer: AnswerState }) {
  if (answer.state !== 'failed') return null;
  return (
    <Banner tone="bad" role="alert">
      {answer.message}
    </Banner>
  );
}
