import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { Badge } from '#web/components/ui/badge.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { saidAlready } from './problems.tsx';
import './plan-line.css';

type ReadinessProps = Pick<ReleaseOverview, 'ready' | 'problems' | 'standing'> & { hasRehearsal?: boolean };

/** A release with the present settings, and other tasks. */
export function Readiness({ ready, problems, standing, hasRehearsal = false }: ReadinessProps) {
  // Problems in the sentence above are not repeated below it.
  const others = problems.filter(({ type, message }) => !saidAlready.has(type) && message !== standing);
  return (
    <div className="readiness">
      <div>
        <p>
          <Badge tone={ready ? 'ready' : 'draft'}>{ready ? 'Ready' : 'Not ready'}</Badge> {standing}
        </p>
        {/* The dashboard says each of them at its top. */}
        {others.length > 0 && !hasRehearsal ? (
          <ul>
            {others.map(({ type, message }) => (
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
