import { type ReactNode, useState } from 'react';
import type { Portal } from '#shared/contract/release/portal.ts';
import { reasonLengthMax } from '#shared/rules/release-answers.ts';
import { PageHeading } from '#web/components/layout/page.tsx';
import { PressForm, pressName } from '#web/components/layout/press-form.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { TextAreaField } from '#web/components/ui/field.tsx';
import { useSentFields } from '#web/lib/api/sent-answers.ts';
import { longDate } from '#web/lib/format.ts';
import { useIsLive } from '#web/lib/use-is-live.ts';
import { useTitle } from '#web/lib/use-title.ts';
import { useTypedBefore } from '#web/lib/use-typed-before.ts';
import { PortalDocuments } from './portal-documents.tsx';
import { PortalFacts, PortalTimeline } from './portal-facts.tsx';
import {
  awayWords,
  ifYouCancel,
  ifYouConfirm,
  ifYouDoNotKnow,
  ifYouSayAlive,
  openingWords,
  ownerFirstName,
  waysToReach,
} from './portal-words.ts';
import { SendDialog, SendStep } from './send-dialog.tsx';
import type { Decision } from './use-portal.ts';

type PortalFormProps = {
  portal: Portal;
  /** Held by the page, so that it outlives a failed try. */
  reason: string;
  onReason: (reason: string) => void;
  busyWith: Decision | null;
  onDecide: (decision: Decision) => void;
  /** Shows "I did not ask", because the emergency form was used in this contact's name. */
  isSayingNotAsked?: boolean;
  onNotAsked?: () => void;
  /** Comes before all else that is asked. */
  first?: ReactNode;
  /** Shown in the place of the documents that the service names. */
  documents?: ReactNode;
};

/** The question, the consequence of each answer, and the answers, in that order. */
export function PortalForm({
  portal,
  first,
  documents,
  isSayingNotAsked = false,
  onNotAsked,
  ...answer
}: PortalFormProps) {
  const name = ownerFirstName(portal);
  const away = awayWords(portal);
  useTitle('Trusted contact');
  return (
    <>
      <div className="stack stack-close">
        <PageHeading>{portal.aliveSaidAt ? `Is there news of ${name}?` : `Have you heard from ${name}?`}</PageHeading>
        {portal.aliveSaidAt ? (
          <p className="lead measure">
            You told us on {longDate(portal.aliveSaidAt)} that {name} is alive and can’t answer.
          </p>
        ) : null}
        <p className="lead measure">{openingWords(portal)}</p>
        {away ? <Banner>{away}</Banner> : null}
      </div>
      {first}
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
        <h2 className="h-card below-1" id="portal-asked">
          What is asked of you
        </h2>
        <p className="measure">
          If you have heard from {name}, choose Cancel Release. If {name} is alive and can’t answer, for example in
          hospital, choose “Alive, but can’t answer”. If {name} has died or can’t act, choose Confirm Message Release.{' '}
          {ifYouDoNotKnow(portal)}
        </p>
      </section>
      {portal.canSayNotAsked && onNotAsked ? (
        <NotAsked name={name} isBusy={isSayingNotAsked} onPress={onNotAsked} />
      ) : null}
      <div className="outcomes">
        <Outcome id="portal-confirm" title="If you confirm" sentences={ifYouConfirm(portal)} isGrave />
        <Outcome id="portal-cancel" title="If you cancel" sentences={ifYouCancel(portal)} />
        <Outcome id="portal-alive" title="If you say: alive, but can’t answer" sentences={ifYouSayAlive(portal)} />
      </div>
      <PortalFacts portal={portal} />
      {documents ?? <PortalDocuments portal={portal} />}
      <AnswerCard portal={portal} {...answer} />
    </>
  );
}

type NotAskedProps = { name: string; isBusy: boolean; onPress: () => void };

/** A third answer without a reason: the emergency form was filled in by another person. */
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
        <PressForm onPress={onPress}>
          <Button type="submit" name={pressName} value="not-asked" variant="secondary" busy={isBusy}>
            {isBusy ? 'Telling us…' : 'I did not ask'}
          </Button>
        </PressForm>
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
  // An answer sent without scripts is confirmed in the page; with scripts, in a dialog.
  const wasConfirmed = useSentFields().press === 'confirm';
  const [asksAgain, setAsksAgain] = useState(wasConfirmed);
  const isLive = useIsLive();
  const field = useTypedBefore<HTMLTextAreaElement>('reason', onReason);
  const isEmpty = isLive && reason.trim() === '';
  const name = ownerFirstName(portal);
  if (wasConfirmed && !isLive) return <SendStep portal={portal} reason={reason} />;
  return (
    <Card as="section" className="answer" aria-labelledby="portal-answer">
      <h2 className="h-card" id="portal-answer">
        Your answer
      </h2>
      <PressForm
        className="stack stack-close"
        onPress={(value) =>
          value === 'confirm' ? setAsksAgain(true) : onDecide(value === 'alive' ? 'alive' : 'cancelled')
        }
      >
        <TextAreaField
          ref={field}
          name="reason"
          label="Reason *"
          hint={`One or two sentences, with any answer. No other contact is shown it; if ${name} comes back, ${name} can read it.`}
          rows={4}
          required
          maxLength={reasonLengthMax}
          value={reason}
          readOnly={busyWith !== null}
          onChange={(event) => onReason(event.target.value)}
        />
        <AnswerButtons isEmpty={isEmpty} busyWith={busyWith} />
      </PressForm>
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

/** The three answers, all with the one reason. */
function AnswerButtons({ isEmpty, busyWith }: { isEmpty: boolean; busyWith: Decision | null }) {
  const common = { type: 'submit', name: pressName, disabled: isEmpty, busy: busyWith !== null } as const;
  return (
    <div className="btns btns-stack">
      <Button {...common} value="cancel" variant="secondary">
        {busyWith === 'cancelled' ? 'Cancelling…' : 'Cancel Release'}
      </Button>
      <Button {...common} value="alive" variant="secondary">
        {busyWith === 'alive' ? 'Sending…' : 'Alive, but can’t answer'}
      </Button>
      <Button {...common} value="confirm" variant="danger-outline">
        Confirm Message Release
      </Button>
    </div>
  );
}
