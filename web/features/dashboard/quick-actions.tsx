import { Link } from 'wouter';
import { Icon, type IconName } from '#web/components/ui/icon.tsx';
import type { PlanLimits } from './dashboard-data.ts';
import './dashboard.css';
import './home.css';

type QuickActionsProps = {
  limits: PlanLimits;
  onNewMessage: () => void;
  onCheckIn: () => void;
  isCheckingIn: boolean;
};

/** The four things people come for. One that the plan does not allow stays readable and says why. */
export function QuickActions({ limits, onNewMessage, onCheckIn, isCheckingIn }: QuickActionsProps) {
  const { canCreate } = limits.messages;
  const { canUpload } = limits.storage;
  return (
    <section className="quick" aria-labelledby="quick-actions">
      <h2 id="quick-actions">Quick actions</h2>
      <div className="acts">
        <button className="act" type="button" disabled={!canCreate} onClick={onNewMessage}>
          <ActWords
            icon="pen"
            label="New Message"
            note={canCreate ? 'A letter, kept sealed' : 'All messages of your plan are used'}
          />
        </button>
        {canUpload ? (
          <Link className="act" href="/documents">
            <ActWords icon="file-up" label="Upload Document" note="Wills, policies, photographs" />
          </Link>
        ) : (
          <button className="act" type="button" disabled>
            <ActWords icon="file-up" label="Upload Document" note="The storage of your plan is full" />
          </button>
        )}
        <Link className="act" href="/contacts">
          <ActWords icon="person-add" label="Add Contact" note="Somebody who would know" />
        </Link>
        <button className="act" type="button" aria-disabled={isCheckingIn || undefined} onClick={onCheckIn}>
          <ActWords
            icon="check"
            label={isCheckingIn ? 'Checking In…' : 'Check In'}
            note="A press says you are still here"
          />
        </button>
      </div>
    </section>
  );
}

function ActWords({ icon, label, note }: { icon: IconName; label: string; note: string }) {
  return (
    <>
      <Icon name={icon} />
      <span>
        <b>{label}</b>
        <small>{note}</small>
      </span>
    </>
  );
}
