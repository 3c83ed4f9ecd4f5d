import { useState } from 'react';
import { type Complaint, closeComplaint, complaintsPerPage } from '#shared/contract/complaints.ts';
import { Badge } from '#web/components/ui/badge.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { DamagedNote } from '#web/components/ui/damaged-note.tsx';
import { call } from '#web/lib/api/api.ts';
import { dateAndTime, isoDay, longDate } from '#web/lib/format.ts';
import { useComplaints } from './admin-data.ts';
import { Pages } from './pages.tsx';
import { useAct } from './use-act.ts';

/** Complaints about the use of data, those to be answered first. Nothing while there was none. */
export function ComplaintList() {
  /** The last complaint of each page before this one. */
  const [before, setBefore] = useState<readonly string[]>([]);
  const { data, isPlaceholderData } = useComplaints(before.at(-1));
  const close = useAct({
    act: ({ id }: Complaint) => call(closeComplaint, { params: { id } }),
    success: 'Noted as answered.',
    fallback: 'Failed to note the answer',
  });
  if (!data || (data.length === 0 && before.length === 0)) return null;
  const last = data.at(-1);
  return (
    <section className="stack" aria-labelledby="complaints">
      <h2 className="h-card" id="complaints">
        Complaints about the use of data
      </h2>
      <ul className="admin-bulk" aria-busy={isPlaceholderData}>
        {data.map((complaint) => (
          <li key={complaint.id} className="card admin-bulk-one">
            <ComplaintRow complaint={complaint} isBusy={close.isBusy} onClose={() => close.perform(complaint)} />
          </li>
        ))}
      </ul>
      {before.length === 0 && data.length < complaintsPerPage ? null : (
        <Pages
          of="complaints"
          number={before.length + 1}
          hasNext={data.length === complaintsPerPage && !isPlaceholderData}
          onPrevious={() => setBefore(before.slice(0, -1))}
          onNext={() => last && setBefore([...before, last.id])}
        />
      )}
      {close.dialog}
    </section>
  );
}

type ComplaintRowProps = { complaint: Complaint; isBusy: boolean; onClose: () => void };

function ComplaintRow({ complaint, isBusy, onClose }: ComplaintRowProps) {
  const { reference, name, email, words, isDamaged, receivedAt, closedAt } = complaint;
  return (
    <>
      <div className="admin-bulk-head">
        <h3 className="admin-bulk-subject">
          <bdi>{name}</bdi>
        </h3>
        {closedAt ? <Badge tone="sent">Answered</Badge> : <Badge tone="warn">To be answered</Badge>}
      </div>
      <p className="small quiet">
        {reference}, <time dateTime={isoDay(receivedAt)}>{dateAndTime(receivedAt)}</time>
        {email ? (
          <>
            , <a href={`mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(reference)}`}>{email}</a>
          </>
        ) : null}
      </p>
      {isDamaged ? (
        <DamagedNote>Its reference and its day stand above.</DamagedNote>
      ) : (
        <p className="admin-complaint">{words}</p>
      )}
      <div className="admin-bulk-foot">
        <p>{receiptWords(complaint)}</p>
        {closedAt ? null : (
          <Button
            variant="secondary"
            size="small"
            busy={isBusy}
            aria-label={`${reference} is answered`}
            onClick={onClose}
          >
            It is answered
          </Button>
        )}
      </div>
    </>
  );
}

/** State of the receipt, and its deadline. */
function receiptWords({ acknowledgedAt, receiptFailedAt, acknowledgeBy, closedAt }: Complaint): string {
  if (closedAt) return `Answered on ${longDate(closedAt)}.`;
  if (acknowledgedAt) return `The receipt was sent on ${longDate(acknowledgedAt)}.`;
  const by = longDate(acknowledgeBy);
  return receiptFailedAt
    ? `The receipt did not get through. Tell them in another way by ${by}.`
    : `The receipt is on its way. They must have it by ${by}.`;
}
