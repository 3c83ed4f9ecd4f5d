import { useId, useState } from 'react';
import type { NewAddressPage } from '#shared/contract/release/new-address.ts';
import { PageHeading } from '#web/components/layout/page.tsx';
import { PressForm, pressName } from '#web/components/layout/press-form.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { useSentFields } from '#web/lib/api/sent-answers.ts';
import { counted } from '#web/lib/format.ts';
import { supportEmail } from '#web/lib/support.ts';
import { useIsLive } from '#web/lib/use-is-live.ts';
import { useTitle } from '#web/lib/use-title.ts';
import { AgreeDialog, AgreeStep, NewAddressForm } from './new-address-form.tsx';
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
      {page.furtherLetterCount > 0 ? (
        <p className="quiet">
          {counted(page.furtherLetterCount, 'more message')} could not be delivered either. They follow here once some
          of these are done.
        </p>
      ) : null}
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
      <PressForm onPress={() => propose({ address: letter.recipientEmail, reason: tryAgain.reason })}>
        <input type="hidden" name="letterId" value={letter.id} />
        <input type="hidden" name="address" value={letter.recipientEmail} />
        <input type="hidden" name="reason" value={tryAgain.reason} />
        <div className="btns btns-stack">
          <Button type="submit" name={pressName} value="again" variant="secondary" busy={isBusy}>
            {tryAgain.label}
          </Button>
        </div>
      </PressForm>
    </>
  );
}

type ProposedProps = Props & { letter: Letter; proposal: NonNullable<Letter['proposal']> };

function Proposed({ page, letter, proposal, actions }: ProposedProps) {
  const sent = useSentFields();
  const wasAsked = sent.press === 'agree' && sent.letterId === letter.id;
  const [asks, setAsks] = useState(wasAsked);
  const isLive = useIsLive();
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
      {wasAsked && canAgree && !isLive ? (
        <AgreeStep letter={letter} address={address} />
      ) : (
        <PressForm onPress={(press) => (press === 'agree' ? setAsks(true) : void answer(false))}>
          <input type="hidden" name="letterId" value={letter.id} />
          <input type="hidden" name="address" value={address} />
          <div className="btns btns-stack">
            {canAgree ? (
              <Button type="submit" name={pressName} value="agree" variant="danger-outline" disabled={isBusy}>
                I know this address too
              </Button>
            ) : null}
            <Button type="submit" name={pressName} value="refuse" variant="secondary" busy={isBusy}>
              {proposal.isYours ? 'Take it back' : 'This is not the right address'}
            </Button>
          </div>
        </PressForm>
      )}
      <AgreeDialog
        open={asks && canAgree}
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
