import { Link } from 'wouter';
import type { TrustedContact } from '#shared/contract/contacts.ts';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { type Answer, answerOf, byAnswer, initialsOf, personLine, yesCount } from './contact-state.ts';
import './people.css';

/** Number of contacts on the first page. The list has all of them. */
const peopleMax = 5;

const faces: Record<Answer, string> = { yes: 'face', asked: 'face face-ask', no: 'face face-no', off: 'face face-no' };

/** The people who would be asked, those who have said yes first, hung on the line at the day on which they are. */
export function KnownPeople({ contacts, isJoined }: { contacts: readonly TrustedContact[]; isJoined: boolean }) {
  const sorted = byAnswer(contacts);
  return (
    <section className={isJoined ? 'known-people is-joined' : 'known-people'} aria-labelledby="people-who-would-know">
      <div className="sec-head">
        <h2 id="people-who-would-know">People who would know</h2>
        <p className="quiet">{yesCount(contacts)}</p>
      </div>
      {sorted.length > 0 ? (
        <ul className="known">
          {sorted.slice(0, peopleMax).map((contact) => (
            <li key={contact.id} className={`one is-${answerOf(contact)}`}>
              <span className={faces[answerOf(contact)]} aria-hidden="true">
                {contact.isDamaged ? '–' : initialsOf(contact.name)}
              </span>
              <div>
                <p className="one-n">
                  <Link href="/contacts">{contact.name}</Link>{' '}
                  {contact.relationship ? <span className="it">{contact.relationship}</span> : null}
                </p>
                <p className="one-s">{personLine(contact)}</p>
              </div>
            </li>
          ))}
        </ul>
      ) : (
        <p className="people-none">They are asked about you before anything is sent. One is enough to begin with.</p>
      )}
      <div className="btns">
        <ButtonLink variant="text" size="small" href="/contacts">
          {sorted.length > peopleMax ? `See all ${sorted.length}` : 'See your contacts'}
        </ButtonLink>
      </div>
    </section>
  );
}

/** Placeholder while the contacts are loading. */
export function KnownPeopleSkeleton() {
  return (
    <div className="known-people" aria-hidden="true">
      <div className="sec-head">
        <p className="h-sec">People who would know</p>
      </div>
      <div className="known">
        {['one', 'two', 'three'].map((key) => (
          <div key={key} className="one">
            <span className="face face-ask" />
          </div>
        ))}
      </div>
    </div>
  );
}
