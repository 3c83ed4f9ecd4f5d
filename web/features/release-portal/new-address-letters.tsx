import { useId, useState } from 'react';
import type { NewAddressPage } from '#shared/contract/release/new-address.ts';
import { PageHeading } from '#web/components/layout/page.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { supportEmail } from '#web/lib/support.ts';
import { useTitle } from '#web/lib/use-title.ts';
import { AgreeDialog, NewAddressForm } from './new-address-form.tsx';
import {
  type Letter,
  privateWords,
  proposalWords,
  tryAgain,
  whatFollows,
  whatHappened,
  whereItStands,
} from './new-address-words.ts';
import type { NewAddressActions } from './use-new-address.ts';

type Props = { page: NewAddressPage; actions: NewAddressActions };

/** Each refused or unopened message, with its possible actions. */
export function NewAddressLetters({ page, actions }: Props) {
  const { letters, user } = page;
  const isDone = letters.length === 0 && page.privateLetterCount === 0;
  const title = isDone ? 'Nothing left to do' : 'Do you know another address?';
  const rest = privateWords(page);
  useTitle(title);
  return (
    <>
      <div className="stack stack-close">
        <PageHeading>{title}</PageHeading>
        <p className="lead measure">
          {isDone
            ? `Every message of ${user.firstName} that can be delivered has been. Thank you.`
            : whatHappened(page)}
        </p>
        {letters.length > 0 ? <p className="measure">{whatFollows(page)}</p> : null}
      </div>
      {letters.map((letter) => (
        <LetterCard key={letter.id} page={page} letter={letter} actions={actions} />
      ))}
      {rest ? <p className="quiet">{rest}</p> : null}
    </>
  );
}

function LetterCard({ page, letter, actions }: Props & { letter: Letter }) {
  const headingId = useId();
  const failure = actions.failure?.letterId === letter.id ? actions.failure.message : null;
  const isOnItsWay = letter.state === 'on_its_way';
  return (
    <Card as="section" className="answer" aria-labelledby={headingId}>
      <h2 className="h-card" id={headingId} dir="auto">
        {letter.title}
      </h2>
      <dl className="facts">
        <dt>{whereItStands(page, letter)}</dt>
        <dd className="anywhere">{letter.recipientEmail}</dd>
      </dl>
      {failure ? (
        <p role="alert" className="err">
          {failure}
        </p>
      ) : null}
      {isOnItsWay ? <p role="status">There is nothing more to do for this one.</p> : null}
      {letter.state === 'too_late' ? (
        <p>
          The time to propose another address is over. Please write to{' '}
          <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
        </p>
      ) : null}
      {letter.state === 'refused' || letter.state === 'unopened' ? (
        <Refused page={page} letter={letter} actions={actions} />
      ) : null}
    </Card>
  );
}

function Refused({ page, letter, actions }: Props & { letter: Letter }) {
  const isBusy = actions.busyWith !== null;
  if (letter.proposal) {
    return <Proposed page={page} letter={letter} proposal={letter.proposal} actions={actions} />;
  }
  if (page.isStopped) return null;
  const propose = (given: { address: string; reason: string }) => actions.propose({ letterId: letter.id, ...given });
  return (
    <>
      <NewAddressForm page={page} letter={letter} isBusy={isBusy} onPropose={propose} />
      <p>{tryAgain.words}</p>
      <div className="btns btns-stack">
        <Button
          variant="secondary"
          busy={isBusy}
          onClick={() => propose({ address: letter.recipientEmail, reason: tryAgain.reason })}
        >
          {tryAgain.label}
        </Button>
      </div>
    </>
  );
}

type ProposedProps = Props & { letter: Letter; proposal: NonNullable<Letter['proposal']> };

function Proposed({ page, letter, proposal, actions }: ProposedProps) {
  const [asks, setAsks] = useState(false);
  const { who, address, next } = proposalWords(page, proposal);
  const isBusy = actions.busyWith !== null;
  const canAgree = !proposal.isYours && proposal.canBeAgreed && !page.isStopped;
  const answer = (agrees: boolean) => actions.answer({ letterId: letter.id, address, agrees });
  return (
    <>
      <p role="status">
        <bdi>{who}</bdi> proposed <b className="anywhere">{address}</b>. {next}
      </p>
      <blockquote className="quiet" dir="auto">
        “{proposal.reason}”
      </blockquote>
      <div className="btns btns-stack">
        {canAgree ? (
          <Button variant="danger-outline" disabled={isBusy} onClick={() => setAsks(true)}>
            I know this address too
          </Button>
        ) : null}
        <Button variant="secondary" busy={isBusy} onClick={() => answer(false)}>
          {proposal.isYours ? 'Take it back' : 'This is not the right address'}
        </Button>
      </div>
      <AgreeDialog
        open={asks}
        letter={letter}
        address={address}
        isBusy={isBusy}
        onClose={() => setAsks(false)}
        onAgree={() => {
          setAsks(false);
          void answer(true);
        }}
      />
    </>
  );
}
