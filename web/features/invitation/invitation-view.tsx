import type { ReactNode } from 'react';
import { PageHeading } from '#web/components/layout/page.tsx';
import { PressForm, pressName } from '#web/components/layout/press-form.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { longDate } from '#web/lib/format.ts';
import { useTitle } from '#web/lib/use-title.ts';
import type { AnswerState, Invitation } from './use-invitation.ts';

type QuestionProps = { invitation: Invitation; answer: AnswerState; onAnswer: (accept: boolean) => void };

/** The owner's name, the role, our promises, and the two answers. */
export function InvitationQuestion({ invitation, answer, onAnswer }: QuestionProps) {
  useTitle('Trusted contact');
  const { ownerName, contactEmail, answerableUntil } = invitation;
  const busyWith = answer.state === 'busy' ? answer.accept : null;
  return (
    <>
      <div className="stack stack-close">
        <PageHeading>
          Will you be a trusted contact for <bdi>{ownerName}</bdi>?
        </PageHeading>
        <p className="lead measure">
          <bdi>{ownerName}</bdi> writes letters that are sent after a death or a long silence, and named you as somebody
          to ask first. We wrote to {contactEmail} because of that.
        </p>
      </div>
      <div className="outcomes">
        <Points title="What it means">
          <li>You do not need to do anything now.</li>
          <li>If {ownerName} stops answering us, we ask you whether you know what has happened.</li>
          <li>You then confirm that the letters should be sent, or cancel. You do not read them.</li>
          <li>You can leave the role at any time, with this same link. {ownerName} can remove you, too.</li>
        </Points>
        <Points title="What we never ask of you">
          <li>No money and no payment details.</li>
          <li>No password, and no account.</li>
          <li>No copy of an identity document.</li>
        </Points>
      </div>
      <section className="card answer" aria-labelledby="invitation-answer">
        <h2 className="h-card" id="invitation-answer">
          Your answer
        </h2>
        {answer.state === 'failed' ? (
          <Banner tone="bad" role="alert">
            {answer.message}
          </Banner>
        ) : null}
        <PressForm className="btns btns-stack" onPress={(value) => onAnswer(value === 'accept')}>
          <Button type="submit" name={pressName} value="accept" busy={busyWith !== null}>
            {busyWith === true ? 'Accepting…' : 'Accept'}
          </Button>
          <Button type="submit" name={pressName} value="decline" variant="secondary" busy={busyWith !== null}>
            {busyWith === false ? 'Declining…' : 'Decline'}
          </Button>
        </PressForm>
        <p className="small quiet">
          {answerableUntil ? `You can answer until ${longDate(answerableUntil)}. ` : null}
          {ownerName} sees whether you accepted or declined.
        </p>
      </section>
    </>
  );
}

function Points({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="outcome">
      <h2 className="h-card">{title}</h2>
      <ul>{children}</ul>
    </section>
  );
}

export function InvitationSkeleton() {
  return (
    <div className="stack" role="status" aria-label="Loading the invitation">
      <Skeleton width="80%" height="3rem" />
      <Skeleton width="95%" height="1.5rem" />
      <Skeleton height="11rem" />
      <Skeleton height="9rem" />
    </div>
  );
}
