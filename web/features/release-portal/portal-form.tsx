import { type ReactNode, useState } from 'react';
import { reasonLengthMax } from '#shared/contract/fields.ts';
import type { Portal } from '#shared/contract/release/portal.ts';
import { PageHeading } from '#web/components/layout/page.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { TextAreaField } from '#web/components/ui/field.tsx';
import { useTitle } from '#web/lib/use-title.ts';
import { PortalDocuments } from './portal-documents.tsx';
import { PortalFacts, PortalTimeline } from './portal-facts.tsx';
import {
  awayWords,
  ifYouCancel,
  ifYouConfirm,
  ifYouDoNotKnow,
  openingWords,
  ownerFirstName,
  waysToReach,
} from './portal-words.ts';
import { SendDialog } from './send-dialog.tsx';
import type { Decision } from './use-portal.ts';

const proseWidth = { maxWidth: '38em' };

type PortalFormProps = {
  portal: Portal;
  /** Held by the page, so that it outlives a failed try. */
  reason: string;
  onReason: (reason: string) => void;
  busyWith: Decision | null;
  onDecide: (decision: Decision) => void;
  /** "I did not ask", where somebody used the emergency form in this contact's name. */
  isSayingNotAsked?: boolean;
  onNotAsked?: () => void;
  /** Shown in the place of the documents that the service names. */
  documents?: ReactNode;
};

/** What is asked, what follows from each answer, and the answer: in that order. */
export function PortalForm({ portal, documents, isSayingNotAsked = false, onNotAsked, ...answer }: PortalFormProps) {
  const name = ownerFirstName(portal);
  const away = awayWords(portal);
  useTitle('Trusted contact');
  return (
    <>
      <div className="stack" style={{ gap: '1rem' }}>
        <PageHeading>Have you heard from {name}?</PageHeading>
        <p className="lead" style={proseWidth}>
          {openingWords(portal)}
        </p>
        {away ? <Banner>{away}</Banner> : null}
      </div>
      <PortalTimeline portal={portal} />
      <section className="sheet try" aria-labelledby="portal-try">
        <h2 className="h-card" id="portal-try">
          Try to reach {name} first
        </h2>
        <ol>
          {waysToReach(portal).map((way) => (
            <li key={way}>{way}</li>
          ))}
        </ol>
      </section>
      <section aria-labelledby="portal-asked">
        <h2 className="h-card" id="portal-asked" style={{ marginBottom: '0.75rem' }}>
          What is asked of you
        </h2>
        <p style={proseWidth}>
          If you have heard from {name}, choose Cancel Release. If {name} has died or can’t act, choose Confirm Message
          Release. {ifYouDoNotKnow(portal)}
        </p>
      </section>
      {portal.canSayNotAsked && onNotAsked ? (
        <NotAsked name={name} isBusy={isSayingNotAsked} onPress={onNotAsked} />
      ) : null}
      <div className="outcomes">
        <Outcome id="portal-confirm" title="If you confirm" sentences={ifYouConfirm(portal)} isGrave />
        <Outcome id="portal-cancel" title="If you cancel" sentences={ifYouCancel(portal)} />
      </div>
      <PortalFacts portal={portal} />
      {documents ?? <PortalDocuments portal={portal} />}
      <AnswerCard portal={portal} {...answer} />
    </>
  );
}

type NotAskedProps = { name: string; isBusy: boolean; onPress: () => void };

/** A third answer, without a reason: whoever filled in the form was somebody else. */
function NotAsked({ name, isBusy, onPress }: NotAskedProps) {
  return (
    <Card as="section" className="answer" aria-labelledby="portal-not-asked">
      <h2 className="h-card" id="portal-not-asked">
        Did you ask for this?
      </h2>
      <p>
        Somebody filled in our emergency form in your name. If it was not you, tell us: this request is over at once,
        nothing is sent, and {name} is told.
      </p>
      <div className="btns btns-stack">
        <Button variant="secondary" busy={isBusy} onClick={onPress}>
          {isBusy ? 'Telling us…' : 'I did not ask'}
        </Button>
      </div>
    </Card>
  );
}

type OutcomeProps = { id: string; title: string; sentences: readonly string[]; isGrave?: boolean };

function Outcome({ id, title, sentences, isGrave = false }: OutcomeProps) {
  return (
    <section className={isGrave ? 'outcome bad' : 'outcome'} aria-labelledby={id}>
      <h2 className="h-card" id={id}>
        {title}
      </h2>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

function AnswerCard({ portal, reason, onReason, busyWith, onDecide }: PortalFormProps) {
  const [asksAgain, setAsksAgain] = useState(false);
  const isEmpty = reason.trim() === '';
  const name = ownerFirstName(portal);
  return (
    <Card as="section" className="answer" aria-labelledby="portal-answer">
      <h2 className="h-card" id="portal-answer">
        Your answer
      </h2>
      <TextAreaField
        label="Reason *"
        hint={`One or two sentences, with either answer. No other contact is shown it; if ${name} comes back, ${name} can read it.`}
        rows={4}
        required
        maxLength={reasonLengthMax}
        value={reason}
        readOnly={busyWith !== null}
        onChange={(event) => onReason(event.target.value)}
      />
      <div className="btns btns-stack">
        <Button variant="secondary" disabled={isEmpty} busy={busyWith !== null} onClick={() => onDecide('cancelled')}>
          {busyWith === 'cancelled' ? 'Cancelling…' : 'Cancel Release'}
        </Button>
        <Button variant="danger-outline" disabled={isEmpty} busy={busyWith !== null} onClick={() => setAsksAgain(true)}>
          Confirm Message Release
        </Button>
      </div>
      <p className="small quiet">We ask you again before anything happens.</p>
      <SendDialog
        open={asksAgain}
        portal={portal}
        isBusy={busyWith === 'confirmed'}
        onKeepWaiting={() => setAsksAgain(false)}
        onSend={() => onDecide('confirmed')}
      />
    </Card>
  );
}
