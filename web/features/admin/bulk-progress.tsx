import { type BulkEmail, cancelBulkEmail } from '#shared/contract/admin.ts';
import { Badge, type BadgeTone } from '#web/components/ui/badge.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { ProgressBar } from '#web/components/ui/progress-bar.tsx';
import { call } from '#web/lib/api/api.ts';
import { dateAndTime, isoDay } from '#web/lib/format.ts';
import { isUnderWay, useBulkEmails } from './admin-data.ts';
import { useAct } from './use-act.ts';

const states: Record<BulkEmail['state'], { label: string; tone: BadgeTone }> = {
  sending: { label: 'Sending', tone: 'draft' },
  done: { label: 'Sent', tone: 'sent' },
  cancelled: { label: 'Cancelled', tone: 'plain' },
};

/** The last bulk emails, and how far they are. Nothing while there was none. */
export function BulkProgress() {
  const { data } = useBulkEmails();
  const cancel = useAct({
    act: ({ id }: BulkEmail) => call(cancelBulkEmail, { params: { id } }),
    success: 'Nobody else is written to.',
    fallback: 'Failed to cancel the bulk email',
  });
  if (!data || data.length === 0) return null;
  return (
    <section className="stack" aria-labelledby="bulk-emails">
      <h2 className="h-card" id="bulk-emails">
        Bulk emails
      </h2>
      <ul className="admin-bulk">
        {data.map((bulk) => (
          <li key={bulk.id} className="card admin-bulk-one">
            <BulkRow bulk={bulk} isBusy={cancel.isBusy} onCancel={() => cancel.perform(bulk)} />
          </li>
        ))}
      </ul>
      {cancel.dialog}
    </section>
  );
}

type BulkRowProps = { bulk: BulkEmail; isBusy: boolean; onCancel: () => void };

function BulkRow({ bulk, isBusy, onCancel }: BulkRowProps) {
  const { subject, state, sent, total } = bulk;
  const { label, tone } = states[state];
  const progress = `${inFigures(sent)} of ${inFigures(total)} sent`;
  return (
    <>
      <div className="admin-bulk-head">
        <h3 className="admin-bulk-subject">{subject}</h3>
        <Badge tone={tone}>{label}</Badge>
      </div>
      <p className="small quiet">
        <time dateTime={isoDay(bulk.createdAt)}>{dateAndTime(bulk.createdAt)}</time>
      </p>
      <ProgressBar value={sent} max={total} label={progress} />
      <div className="admin-bulk-foot">
        <p aria-live="polite">
          {progress}
          {othersOf(bulk)}
        </p>
        {isUnderWay(bulk) ? (
          <Button variant="secondary" size="small" busy={isBusy} onClick={onCancel}>
            Cancel the rest
          </Button>
        ) : null}
      </div>
    </>
  );
}

const inFigures = (count: number) => count.toLocaleString('en-GB');

/** Counts of the other addressees, if there are any. */
function othersOf({ failed, leftOut, cancelled }: BulkEmail): string {
  const parts = [
    failed > 0 ? `${inFigures(failed)} came back` : '',
    leftOut > 0 ? `${inFigures(leftOut)} ${leftOut === 1 ? 'person' : 'people'} left out` : '',
    cancelled > 0 ? `${inFigures(cancelled)} cancelled` : '',
  ].filter(Boolean);
  return parts.length > 0 ? `, ${parts.join(', ')}` : '';
}
