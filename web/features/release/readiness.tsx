import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { Badge } from '#web/components/ui/badge.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import './plan-line.css';

type ReadinessProps = Pick<ReleaseOverview, 'ready' | 'problems'> & { hasRehearsal?: boolean };

/** Whether a release would work as things stand, and if not, or not well, why. */
export function Readiness({ ready, problems, hasRehearsal = false }: ReadinessProps) {
  return (
    <div className="readiness">
      <div>
        <p>
          <Badge tone={ready ? 'ready' : 'bad'}>{ready ? 'Ready' : 'Not ready'}</Badge> {words(ready, problems.length)}
        </p>
        {/* The dashboard says each of them at its top. */}
        {problems.length > 0 && !hasRehearsal ? (
          <ul>
            {problems.map(({ type, message }) => (
              <li key={type}>{message}</li>
            ))}
          </ul>
        ) : null}
      </div>
      {hasRehearsal ? (
        <ButtonLink variant="secondary" href="/rehearsal">
          Rehearse
        </ButtonLink>
      ) : null}
    </div>
  );
}

function words(isReady: boolean, problems: number): string {
  if (!isReady) return 'As things stand, nothing would be delivered.';
  return problems > 0
    ? 'As things stand, a release would work. Something could be better.'
    : 'As things stand, a release would work.';
}
