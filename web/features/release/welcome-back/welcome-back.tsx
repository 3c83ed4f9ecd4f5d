import { Link } from 'wouter';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { PageHeading } from '#web/components/layout/page.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Drawing } from '#web/components/ui/drawing.tsx';
import { Outcome } from '#web/features/release/outcome.tsx';
import { isoDay, longDate } from '#web/lib/format.ts';
import {
  aliveAnswerSentences,
  type CameBack,
  type CameBackStep,
  cameBackSentence,
  cameBackSteps,
  cameBackTitle,
  givenAddressSentences,
  nextReminder,
  shortDay,
} from './came-back-words.ts';
import '#web/features/release/release.css';
import './welcome-back.css';

type WelcomeBackProps = {
  firstName: string;
  overview: ReleaseOverview;
  cameBack: CameBack;
  isLeaving: boolean;
  /** The page was read; `hash` is the part of the dashboard to open. */
  onRead: (hash?: string) => void;
};

/** First page for an owner who was silent and has returned. */
export function WelcomeBack({ firstName, overview, cameBack, isLeaving, onRead }: WelcomeBackProps) {
  return (
    <section className="status returned" aria-label="Welcome back">
      <div className="returned-top">
        <Drawing name="lamp-lit" />
        <div>
          <PageHeading>
            {firstName === '' ? (
              'Welcome back.'
            ) : (
              <>
                Welcome back, <bdi>{firstName}</bdi>.
              </>
            )}
          </PageHeading>
          <p className="returned-say">{cameBackSentence(cameBack, overview.sent)}</p>
          {cameBack.askedByName === null ? null : <Asker name={cameBack.askedByName} />}
          {givenAddressSentences(cameBack).map((sentence) => (
            <p key={sentence} className="anywhere above-1">
              {sentence}
            </p>
          ))}
          {aliveAnswerSentences(cameBack).map(({ key, sentence, reason }) => (
            <p key={key} className="anywhere above-1">
              {sentence} {reason === null ? null : <q>{reason}</q>}
            </p>
          ))}
        </div>
      </div>
      <Outcome {...overview} />
      <div className="returned-line">
        <p className="line-say" id="returned-line">
          {cameBackTitle(cameBack)}
        </p>
        <ol className="tl tl-row tl-lived" aria-labelledby="returned-line">
          {cameBackSteps(cameBack, { hasSent: overview.sent.delivered > 0 }).map((step) => (
            <Step key={step.what} step={step} beside={cameBack.at} />
          ))}
        </ol>
      </div>
      <div className="returned-foot">
        <FromNowOn again={nextReminder(overview)} />
        <div className="btns">
          <Button size="big" busy={isLeaving} onClick={() => onRead()}>
            {isLeaving ? 'One moment…' : 'Go to my dashboard'}
          </Button>
          <Button variant="text" onClick={() => onRead('#away')}>
            Going away? Say until when
          </Button>
        </div>
      </div>
    </section>
  );
}

/** Offers to remove the contact who asked early, as the mail about the return does. */
function Asker({ name }: { name: string }) {
  return (
    <p className="anywhere above-1">
      We had been asked to release your messages in the name of <bdi>{name}</bdi>. If you no longer want{' '}
      <bdi>{name}</bdi> as a trusted contact, you can <Link href="/contacts">remove them</Link>.
    </p>
  );
}

function FromNowOn({ again }: { again: string | undefined }) {
  return (
    <p>
      Your time has started again.
      {again ? (
        <>
          {' '}
          If we do not hear from you before <time dateTime={isoDay(again)}>{longDate(again)}</time>, we write to you,
          and only to you.
        </>
      ) : null}
    </p>
  );
}

function Step({ step: { what, at, tone, note }, beside }: { step: CameBackStep; beside: string }) {
  return (
    <li className={tone}>
      <span className="tl-w">{what}</span>
      {at === null ? null : <time dateTime={isoDay(at)}>{shortDay(at, beside)}</time>}
      {note ? (
        <small>
          {note.words}
          {note.at ? <time dateTime={isoDay(note.at)}>{shortDay(note.at, beside)}</time> : null}
        </small>
      ) : null}
    </li>
  );
}
