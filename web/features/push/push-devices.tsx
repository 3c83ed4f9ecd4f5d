import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RouteResult } from '#shared/contract/route.ts';
import { Badge } from '#web/components/ui/badge.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { call } from '#web/lib/api/api.ts';
import { keyOf, useRead, useReadBy } from '#web/lib/api/reads.ts';
import { dateAndTime } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';
import { pushRoutes } from './push-routes.ts';
import { canShowReminders, hashHere, subscribeHere, unsubscribeHere } from './this-browser.ts';

type Device = RouteResult<typeof pushRoutes.listPushDevices>['devices'][number];

const hereKey = ['push-here'] as const;

/** Devices that show reminders, and a switch for this one. */
export function PushDevices() {
  const client = useQueryClient();
  const list = useRead(pushRoutes.listPushDevices, { refetchOnMount: 'always' });
  const hash = useReadBy({ key: hereKey, read: hashHere });
  const change = useMutation({
    mutationFn: async (device: Device | null) => {
      if (device === null) {
        const body = await subscribeHere(list.data?.publicKey ?? '');
        await call(pushRoutes.addPushDevice, { body });
        return;
      }
      if (device.endpointHash === hash.data) await unsubscribeHere();
      await call(pushRoutes.removePushDevice, { params: { id: device.id } });
    },
    onSuccess: (_, device) =>
      toast(
        device === null
          ? { title: 'Reminders are on', description: 'This device shows when we wait for word from you.' }
          : { title: 'Reminders are off', description: 'That device shows no more of them.' },
      ),
    onError: ({ message }) => toast({ title: 'That did not work', description: message, variant: 'destructive' }),
    onSettled: () => {
      client.invalidateQueries({ queryKey: keyOf(pushRoutes.listPushDevices) });
      client.invalidateQueries({ queryKey: hereKey });
    },
  });
  if (list.isError) return <LoadError title="We could not load your devices" onRetry={() => list.refetch()} />;
  if (!list.data || hash.isPending) return <SkeletonRows rows={1} label="Loading your devices" />;
  const { devices } = list.data;
  const isOnHere = devices.some(({ endpointHash }) => endpointHash === hash.data);
  return (
    <>
      {devices.length > 0 ? (
        <ul className="guard-list">
          {devices.map((device) => (
            <Row
              key={device.id}
              device={device}
              isHere={device.endpointHash === hash.data}
              onOff={() => change.isPending || change.mutate(device)}
            />
          ))}
        </ul>
      ) : null}
      {isOnHere ? null : canShowReminders() ? (
        <Button
          variant="secondary"
          className="guard-act"
          busy={change.isPending}
          onClick={() => change.isPending || change.mutate(null)}
        >
          Show them on this device
        </Button>
      ) : (
        <p className="quiet">
          This browser can’t show them. On an iPhone or iPad, first add the site to the Home Screen, and open it there.
        </p>
      )}
    </>
  );
}

function Row({ device, isHere, onOff }: { device: Device; isHere: boolean; onOff: () => void }) {
  const { name, createdAt } = device;
  return (
    <li>
      <div>
        <b>{name}</b> {isHere ? <Badge tone="ready">This device</Badge> : null}
        <p className="hint">Since {dateAndTime(createdAt)}</p>
      </div>
      <Button variant="text" size="small" aria-label={`Switch off on ${name}`} onClick={onOff}>
        Switch off
      </Button>
    </li>
  );
}
