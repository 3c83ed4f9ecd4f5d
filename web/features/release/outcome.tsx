import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { longDate } from '#web/lib/format.ts';

type OutcomeProps = {
  deliveries: ReleaseOverview['deliveries'];
  /** Titles of the messages by their id; one that has been deleted has none. */
  titles: ReadonlyMap<string, string>;
};

/** Sent messages, and the opened ones among them. */
export function Outcome({ deliveries, titles }: OutcomeProps) {
  if (deliveries.length === 0) return null;
  const isForSeveral = (id: string) => deliveries.filter(({ messageId }) => messageId === id).length > 1;
  return (
    <table className="list outcome-list">
      <caption className="vh">What has been sent</caption>
      <thead>
        <tr>
          <th scope="col">Message</th>
          <th scope="col">Sent</th>
          <th scope="col">Opened</th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map(({ messageId, recipient, status, deliveredAt, accessedAt, waitsUntil }) => (
          <tr key={`${messageId} ${recipient}`}>
            <td>
              {titles.get(messageId) ?? 'A message you have deleted'}
              {isForSeveral(messageId) ? (
                <>
                  , for <bdi>{recipient}</bdi>
                </>
              ) : null}
            </td>
            <td>{deliveredAt ? `Sent ${longDate(deliveredAt)}` : notSent(status, waitsUntil)}</td>
            <td>{accessedAt ? `Opened ${longDate(accessedAt)}` : notOpened(status)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A message whose link was closed in time is the owner's again. */
function notOpened(status: string): string {
  if (status === 'unopened') return 'Not opened in its 30 days';
  return status === 'withdrawn' || status === 'may_arrive' ? 'Not opened, and its link is closed' : 'Not opened';
}

function notSent(status: string, waitsUntil: string | undefined): string {
  if (waitsUntil) return `Waits until ${longDate(waitsUntil)}`;
  if (status === 'bounced') return 'Could not be delivered';
  if (status === 'may_arrive') return 'Was just leaving, and may still arrive';
  return status === 'cancelled' ? 'Kept back' : 'On its way';
}
