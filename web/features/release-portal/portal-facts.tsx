import type { Portal } from '#shared/contract/release/portal.ts';
import { counted, isoDay, longDate } from '#web/lib/format.ts';
import { ownerFirstName, ownerFullName, timelineOf } from './portal-words.ts';
import { Readers } from './readers.tsx';

/** Events so far, on a timeline. */
export function PortalTimeline({ portal }: { portal: Portal }) {
  return (
    <ol className="tl tl-row" aria-label="What has happened so far">
      {timelineOf(portal, Date.now()).map(({ key, look, words, at, shown }) => (
        <li key={key} className={look}>
          <span className="tl-w">{words}</span>
          <time dateTime={isoDay(at)}>{shown}</time>
        </li>
      ))}
    </ol>
  );
}

/** The owner, the contact, and the messages the owner let the contact see. */
export function PortalFacts({ portal }: { portal: Portal }) {
  const { user, contact, messages, messagesLeftOut } = portal;
  const name = ownerFirstName(portal);
  return (
    <section aria-labelledby="portal-seen">
      <h2 className="h-card below-2" id="portal-seen">
        What {name} let you see
      </h2>
      <dl className="facts below-3">
        <dt>Account holder</dt>
        <dd>{[ownerFullName(portal), user.email].filter(Boolean).join(', ')}</dd>
        <dt>Silent for</dt>
        <dd className="num">{counted(portal.silentDays, 'day')}</dd>
        <dt>{portal.isEarly ? 'Usually asked after' : 'Asked after'}</dt>
        <dd className="num">{counted(portal.inactivityDays, 'day')} of inactivity</dd>
        <dt>You</dt>
        <dd>
          <bdi>{contact.name}</bdi>, {contact.email}
        </dd>
      </dl>
      {messages.length > 0 ? <VisibleMessages messages={messages} /> : null}
      {messagesLeftOut > 0 ? (
        <p className="quiet above-1">
          These are the first {messages.length} of {(messages.length + messagesLeftOut).toLocaleString('en-GB')}{' '}
          messages that you may see.
        </p>
      ) : null}
      <p className="quiet above-1">{restWords(portal)}</p>
    </section>
  );
}

function VisibleMessages({ messages }: { messages: Portal['messages'] }) {
  return (
    <table className="list">
      <caption className="vh">Messages pending release</caption>
      <thead>
        <tr>
          <th scope="col">Message</th>
          <th scope="col">Goes to</th>
          <th scope="col">Written</th>
        </tr>
      </thead>
      <tbody>
        {messages.map(({ id, title, recipients, createdAt }) => (
          <tr key={id}>
            <td dir="auto">{title}</td>
            <td className="anywhere">
              <Readers recipients={recipients} />
            </td>
            <td className="num">{longDate(createdAt)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function restWords({ messages, privateMessageCount }: Portal): string {
  if (privateMessageCount === 0)
    return messages.length === 0 ? 'No message is ready to be sent.' : 'There are no others.';
  const noun = privateMessageCount === 1 ? 'message' : 'messages';
  return `${privateMessageCount} additional private ${noun} will also be delivered.`;
}
