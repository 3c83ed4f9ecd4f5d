import { Icon } from '#web/components/ui/icon.tsx';
import { outboxPath } from '#web/lib/outbox.ts';

/** Said once, on top: in a trial copy mail stays on this machine. */
export function TrialNote({ path = outboxPath }: { path?: string | null }) {
  if (path === null) return null;
  return (
    <div className="banner banner-plain">
      <Icon name="letter" />
      <div>
        <b>This is a trial copy.</b> Emails stay here, in the outbox. Nobody else gets them.
      </div>
      <a className="btn btn-2 btn-small" href={path}>
        Open the outbox
      </a>
    </div>
  );
}
