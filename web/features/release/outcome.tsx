import { useState } from 'react';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { MoreItems } from '#web/components/list-pages/more-items.tsx';
import { call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { longDate } from '#web/lib/format.ts';

type Letters = ReleaseOverview['deliveries'];
type OutcomeProps = Pick<ReleaseOverview, 'deliveries' | 'sent'>;

/** Sent messages, and the opened ones among them. Further ones are read at a press. */
export function Outcome({ deliveries, sent: { letters: found } }: OutcomeProps) {
  const { shown, ...reading } = useFurther(deliveries);
  if (deliveries.length === 0) return null;
  const list = { ...reading, found, hasMore: shown.length < found };
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
          {shown.map(({ messageId, title, recipient, hasOthers, status, deliveredAt, accessedAt, waitsUntil }) => (
            <tr key={`${messageId} ${recipient}`}>
              <td>
                {title ?? 'A message you have deleted'}
                {hasOthers ? (
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
        list={list}
        shown={shown.length}
        perPage={deliveries.length}
        items=".outcome-list tbody > tr"
        noun="messages"
      />
    </>
  );
}

/** The letters of the overview with those that were read after them. Another overview begins again. */
function useFurther(first: Letters) {
  const [further, setFurther] = useState<{ after: Letters; letters: Letters }>();
  const [reading, setReading] = useState<'no' | 'busy' | 'failed'>('no');
  const shown = further?.after === first ? [...first, ...further.letters] : first;
  const more = async () => {
    setReading('busy');
    try {
      const { deliveries } = await call(light.listSentLetters, { query: { from: shown.length } });
      setFurther({ after: first, letters: [...shown.slice(first.length), ...deliveries] });
      setReading('no');
    } catch {
      setReading('failed');
    }
  };
  return { shown, isLoadingMore: reading === 'busy', hasFailedMore: reading === 'failed', more };
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
  return status === 'cancelled' ? 'Kept back' : 'Not sent yet';
}
