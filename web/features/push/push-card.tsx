import { Card } from '#web/components/ui/card.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { useFetchedPart } from '#web/lib/loading/use-fetched-part.ts';

const fetchDevices = () => import('./push-devices.tsx');

/** Reminders on the screens of an owner's devices. The switches are fetched when the page has nothing more urgent to do. */
export function PushCard() {
  const { part } = useFetchedPart(fetchDevices, { isFetchedWhenIdle: true });
  return (
    <Card as="section" className="guard" aria-labelledby="push">
      <h2 className="h-card" id="push">
        Reminders on your screen
      </h2>
      <p>
        A phone or computer can show that we wait for word from you. The notice names no one and quotes no letter. It
        comes besides our emails and texts, and only those count.
      </p>
      {part ? <part.PushDevices /> : <SkeletonRows rows={1} label="Loading your devices" />}
    </Card>
  );
}
