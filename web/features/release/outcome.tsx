import { useState } from 'react';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { MoreItems } from '#web/components/list-pages/more-items.tsx';
import { longDate } from '#web/lib/format.ts';

type OutcomeProps = { deliveries: ReleaseOverview['deliveries'] };

/** Number of sent messages that are shown, and added at a press. */
const rowsPerPage = 50;

/** Sent messages, and the opened ones among them. */
export function Outcome({ deliveries }: OutcomeProps) {
  const [wanted, setWanted] = useState(rowsPerPage);
  if (deliveries.length === 0) return null;
  const letters = Map.groupBy(deliveries, ({ messageId }) => messageId);
  const shown = deliveries.slice(0, wanted);
  const found = deliveries.length;
  const list = { found, hasMore: shown.length < found, isLoadingMore: false, hasFailedMore: false };
  return (
    <>
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
          {shown.map(({ messageId, title, recipient, status, deliveredAt, accessedAt, waitsUntil }) => (
            <tr key={`${messageId} ${recipient}`}>
              <td>
                {title ?? 'A message you have deleted'}
                {(letters.get(messageId)?.length ?? 0) > 1 ? (
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
      <MoreItems
        list={{ ...list, more: () => setWanted(wanted + rowsPerPage) }}
        shown={shown.length}
        perPage={rowsPerPage}
        items=".outcome-list tbody > tr"
        noun="messages"
      />
    </>
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
