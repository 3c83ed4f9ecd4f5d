import { ButtonLink } from '#web/components/ui/button.tsx';
import type { FeatureAccess } from './use-access.ts';

/** Next step for a person without access. Null with access, or while it is unknown. */
export function UpgradeNote({ access, words }: { access: FeatureAccess; words: string }) {
  if (access === 'granted' || access === 'unknown') return null;
  return (
    <div className="upgrade-note noprint">
      <p>{words}</p>
      {access === 'visitor' ? (
        <ButtonLink size="small" href="/login">
          Login to upgrade
        </ButtonLink>
      ) : (
        <ButtonLink size="small" href="/account">
          Upgrade Your Plan
        </ButtonLink>
      )}
    </div>
  );
}
