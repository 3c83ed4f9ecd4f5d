import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { accountAfterDeletionDays, auditLogYears, deletionDayOf, paymentRecordYears } from '#shared/rules/retention.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { CheckboxField } from '#web/components/ui/field.tsx';
import { light } from '#web/lib/api/light-routes.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { longDate } from '#web/lib/format.ts';
import { type LettersWish, useDeletion } from './use-deletion.ts';

/** Says exactly what happens and when, and asks for a tick before anything does. */
export function DeletionCard() {
  const [isTicked, setTicked] = useState(false);
  const [letters, setLetters] = useState<LettersWish | undefined>();
  const summary = useRead(light.getLettersSummary);
  const doWait = summary.data?.doesWait ?? false;
  const isReady = isTicked && (!doWait || letters !== undefined);
  const deletion = useDeletion();
  const goneOn = longDate(deletionDayOf(new Date()));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) deletion.deleteAccount(letters);
  };
  return (
    <Card as="section" className="data-card" aria-labelledby="deletion-title">
      <h2 className="h-card" id="deletion-title">
        Delete your account
      </h2>
      <dl className="data-steps">
        <div>
          <dt>At once</dt>
          <dd>
            You are signed out on every device. A release that is under way ends; contacts who were asked are told that
            nothing was sent. From then on nobody is reminded, asked or written to. A plan you pay for is cancelled.
          </dd>
        </div>
        <div>
          <dt>For {accountAfterDeletionDays} days</dt>
          <dd>
            Sign in and choose Restore my account, and your vault is as you left it. We then say how a plan you paid for
            stands. We send you an email about it.
          </dd>
        </div>
        <div>
          <dt>On {goneOn}</dt>
          <dd>
            The key of your vault is destroyed and every message, document and contact goes. Nobody can bring them back.
            Letters that were delivered are deleted too: their readers can no longer open them.
          </dd>
        </div>
        <div>
          <dt>What stays</dt>
          <dd>
            Payment records for {paymentRecordYears} years, as the law asks, and for {auditLogYears} years a log of what
            was done, both without your name. The <Link href="/privacy-policy">privacy policy</Link> says why.
          </dd>
        </div>
      </dl>
      <form className="stack" onSubmit={submit}>
        {doWait ? <WaitingLetters wish={letters} onWish={setLetters} /> : null}
        <CheckboxField
          label="I understand that my account and everything in it will be deleted"
          hint="You may want to export your data first."
          checked={isTicked}
          onChange={({ target }) => setTicked(target.checked)}
        />
        <div className="btns">
          <Button type="submit" variant="danger" disabled={!isReady} busy={deletion.isBusy}>
            {deletion.isBusy ? 'Deleting…' : 'Delete My Account'}
          </Button>
        </div>
      </form>
      {deletion.dialog}
    </Card>
  );
}

/** Asks before the deletion about letters with a day of their own. */
function WaitingLetters({ wish, onWish }: { wish: LettersWish | undefined; onWish: (wish: LettersWish) => void }) {
  return (
    <fieldset className="stack">
      <legend>Letters of yours wait for a day of their own</legend>
      <CheckboxField
        type="radio"
        name="letters"
        label="Let each go on its day"
        hint="They and your name stay until then. Everything else goes as said above."
        checked={wish === 'leave'}
        onChange={() => onWish('leave')}
      />
      <CheckboxField
        type="radio"
        name="letters"
        label="Take them back"
        hint="They are deleted with the rest."
        checked={wish === 'take-back'}
        onChange={() => onWish('take-back')}
      />
    </fieldset>
  );
}
