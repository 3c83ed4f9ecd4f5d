import { Skeleton } from '#web/components/ui/skeleton.tsx';

/** The shape of envelopes, before they are there: as tall, and where they will be. */
export function LettersSkeleton({ envelopes }: { envelopes: number }) {
  return (
    <div className="person-skel">
      <div className="person-skel-head" aria-hidden="true">
        <Skeleton width="8rem" height="calc(var(--t-2) * 0.9)" />
        <Skeleton width="14rem" height="1rem" />
      </div>
      <div className="envs envs-flat" role="status" aria-label="Loading messages">
        {Array.from({ length: envelopes }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are alike and never change places.
          <div className="env env-skel" key={index}>
            <div className="env-top" />
            <div className="env-in">
              <Skeleton width="70%" height="1.375rem" />
              <Skeleton width="95%" height="1rem" />
              <Skeleton width="55%" height="1rem" />
            </div>
            <div className="env-acts" />
          </div>
        ))}
      </div>
    </div>
  );
}
