import type { Rehearsal } from '#shared/contract/release/rehearsal.ts';
import { unwrapped } from '#shared/rules/plain-lines.ts';
import { Sheet } from '#web/components/ui/card.tsx';
import { counted, isoDay, longDate } from '#web/lib/format.ts';
import { doesWait, whenWords } from '#web/lib/own-day.ts';
import { namesTogether, readerName } from '#web/lib/reader-names.ts';
import './rehearsal.css';

type RehearsedMail = Rehearsal['mails'][number];

const stepTitles: Record<RehearsedMail['step'], string> = {
  first_reminder: 'The first reminder to you',
  last_reminder: 'The last reminder to you',
  owner_asked: 'You are told that your contacts are asked',
  contact_asked: 'Your contacts are asked',
  owner_releasing: 'You are told that the delivery begins',
  letter: 'Your letters are delivered',
  contact_released: 'Your contacts are told that it is done',
  own_day: 'A letter goes on its own day',
};

/** Every step with its date and its emails, in the order in which they would happen. */
export function RehearsalSteps({ mails, mailsLeftOut }: Pick<Rehearsal, 'mails' | 'mailsLeftOut'>) {
  // Letters with days of their own go on each of those; of every other step there is one.
  const steps = [...Map.groupBy(mails, ({ step, at }) => (step === 'own_day' ? `${step} ${at}` : step)).values()];
  return (
    <ol className="rehearsal">
      {steps.map((ofStep) => {
        const [first] = ofStep;
        if (!first) return null;
        return (
          <li key={`${first.step} ${first.at}`}>
            <Sheet as="section" className="rehearsal-step">
              <h2 className="h-card">{stepTitles[first.step]}</h2>
              <StepDate {...first} />
              {ofStep.map((mail, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two letters to one person are alike, and the list never changes.
                <MailLine key={`${mail.to.email}-${index}`} mail={mail} />
              ))}
            </Sheet>
          </li>
        );
      })}
      {mailsLeftOut > 0 ? (
        <li className="quiet">And {counted(mailsLeftOut, 'more letter')} like those above.</li>
      ) : null}
    </ol>
  );
}

function StepDate({ step, at }: Pick<RehearsedMail, 'step' | 'at'>) {
  if (at !== null && step === 'own_day') {
    return (
      <p className="quiet">
        On <time dateTime={isoDay(at)}>{longDate(at)}</time>: until then it waits, whatever becomes of your account
      </p>
    );
  }
  if (at === null) return <p className="quiet">On no fixed day: when enough of your contacts have confirmed.</p>;
  return (
    <p className="quiet">
      On <time dateTime={isoDay(at)}>{longDate(at)}</time>, if you do not check in before
    </p>
  );
}

function MailLine({ mail: { to, subject, text } }: { mail: RehearsedMail }) {
  return (
    <details className="opens rehearsal-mail">
      <summary>
        <span>
          To {to.kind === 'you' ? 'you' : <bdi>{to.name ?? to.email}</bdi>}
          {to.name && to.kind === 'contact' ? <small className="quiet"> {to.email}</small> : null}
          <b>{subject}</b>
        </span>
      </summary>
      <pre>{unwrapped(text)}</pre>
    </details>
  );
}

/** Recipients and their letters. Each letter counts once for each reader, as on the line of time. */
export function RehearsalLetters({
  ready,
  letters,
  lettersLeftOut,
  copies: count,
  otherMessages,
  contacts,
}: Pick<Rehearsal, 'ready' | 'letters' | 'lettersLeftOut' | 'copies' | 'otherMessages' | 'contacts'>) {
  const readers = contacts.filter(({ seesFirstWeeks }) => seesFirstWeeks).map(({ name }) => name);
  return (
    <section aria-labelledby="letters-title">
      <h2 className="h-card" id="letters-title">
        {count === 0
          ? 'No letter would be delivered'
          : `${counted(count, 'letter')} ${ready ? 'would be delivered' : count === 1 ? 'is ready' : 'are ready'}`}
      </h2>
      {count > 0 ? (
        <table className="list rehearsal-letters">
          <thead>
            <tr>
              <th scope="col">Letter</th>
              <th scope="col">For</th>
              <th scope="col">What your contacts see</th>
            </tr>
          </thead>
          <tbody>
            {letters.map(({ id, title, recipients, deliverOn, visibleToTrustedContact }) => (
              <tr key={id}>
                <td>
                  <bdi>{title}</bdi>
                </td>
                <td>
                  <bdi>{namesTogether(recipients.map(readerName))}</bdi>
                  {doesWait(deliverOn) ? <small className="quiet"> {whenWords(deliverOn)}</small> : null}
                </td>
                <td>{visibleToTrustedContact ? 'Contacts see its title' : 'Contacts see only that there is one'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {lettersLeftOut > 0 ? <p className="quiet">And {counted(lettersLeftOut, 'more letter')}.</p> : null}
      {readers.length > 0 ? (
        <p className="quiet">
          Afterwards <bdi>{namesTogether(readers)}</bdi> can read your page for the first weeks.
        </p>
      ) : null}
      {otherMessages > 0 ? (
        <p className="quiet">
          {counted(otherMessages, 'other message')} would not be sent: drafts, or delivered before.
        </p>
      ) : null}
    </section>
  );
}
