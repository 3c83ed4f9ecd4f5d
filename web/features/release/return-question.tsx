import type { ReactNode } from 'react';
import type { ReleaseOverview, ReturnAnswer } from '#shared/contract/release/release.ts';
import { PageHeading } from '#web/components/layout/page.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { counted, isoDay, longDate } from '#web/lib/format.ts';
import { Outcome } from './outcome.tsx';
import './release.css';

type ReturnQuestionProps = {
  /** The owner's first name, or what else they are known by. */
  name: string;
  question: NonNullable<ReleaseOverview['question']>;
  /** The letters that left, and their numbers. */
  outcome: Pick<ReleaseOverview, 'deliveries' | 'sent'>;
  /** The answer that is being given. */
  answering: ReturnAnswer | null;
  onAnswer: (take: ReturnAnswer) => void;
};

/** Question after letters have left and a person signed in: the owner, or a mourner. */
export function ReturnQuestion({ name, question, outcome, answering, onAnswer }: ReturnQuestionProps) {
  const { delivered, opened, lastAt } = outcome.sent;
  const owner = <bdi>{name}</bdi>;
  const button = (take: ReturnAnswer, words: ReactNode, isFirst = false) => (
    <Button
      size="big"
      variant={isFirst ? 'primary' : 'secondary'}
      busy={answering !== null}
      onClick={() => onAnswer(take)}
    >
      <span>{answering === take ? 'One moment…' : words}</span>
    </Button>
  );
  return (
    <>
      <div className="stack">
        <PageHeading>Are you {owner}?</PageHeading>
        <p className="lead">
          {delivered === 1 ? 'This letter was delivered on ' : 'These letters were delivered on '}
          <time dateTime={isoDay(question.deliveredAt)}>{longDate(question.deliveredAt)}</time>
          {isLater(lastAt, question.deliveredAt) ? ' and after' : ''}. Before you go on, we have to ask.
        </p>
        <Held {...question} />
      </div>
      <section className="sheet answer" aria-labelledby="what-was-delivered">
        <h2 className="h-card" id="what-was-delivered">
          What was delivered
        </h2>
        <Outcome {...outcome} />
      </section>
      <div className="outcomes outcomes-asked">
        <section className="outcome" aria-labelledby="if-owner">
          <h2 className="h-card" id="if-owner">
            If you are {owner}
          </h2>
          <ul>
            {opened < delivered ? <li>{unopenedWords(delivered - opened)}</li> : null}
            {opened > 0 ? <li>Opened letters can’t be taken back. The people who opened them keep them.</li> : null}
            {question.held > 0 ? <li>{counted(question.held, 'letter')} that has not left stays with you.</li> : null}
            <li>We tell everybody who got a letter, and your trusted contacts, that we have heard from you.</li>
          </ul>
          {button('back', <>I am {owner}: take back what is unopened</>, true)}
          <p>
            Or nothing is taken back, and waiting letters are still sent. We tell your trusted contacts that we have
            heard from you. What you write from now on is kept for another time.
          </p>
          {button('leave', <>I am {owner}: leave it so</>)}
        </section>
        <section className="outcome" aria-labelledby="if-not-owner">
          <h2 className="h-card" id="if-not-owner">
            If you are not {owner}
          </h2>
          <ul>
            <li>Nothing changes. Every letter stays with the people it was written for.</li>
            <li>Waiting letters are still sent.</li>
            <li>You are signed out of this account. You don’t have to explain anything.</li>
          </ul>
          {button('not-me', <>I am not {owner}</>)}
        </section>
      </div>
    </>
  );
}

function Held({ held, goesOnAt }: ReturnQuestionProps['question']) {
  if (held === 0) return null;
  return (
    <p>
      {counted(held, 'more letter')} {held === 1 ? 'has' : 'have'} not left yet, and {held === 1 ? 'waits' : 'wait'} for
      your answer.
      {goesOnAt ? (
        <>
          {' '}
          Without one, {held === 1 ? 'it goes' : 'they go'} on{' '}
          <time dateTime={isoDay(goesOnAt)}>{longDate(goesOnAt)}</time> at the earliest.
        </>
      ) : null}
    </p>
  );
}

function unopenedWords(unopened: number): string {
  return unopened === 1
    ? 'The letter that nobody has opened is taken back, still closed.'
    : `The ${unopened} letters that nobody has opened are taken back, still closed.`;
}

function isLater(one: string | null, other: string): boolean {
  return one !== null && isoDay(one) > isoDay(other);
}
