import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { RouteResult } from '#shared/contract/route.ts';
import { endOtherSessions, endSession, listSessions } from '#shared/contract/sessions.ts';
import { deviceName } from '#shared/rules/sign-in/device-name.ts';
import { Badge } from '#web/components/ui/badge.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { ConfirmDialog } from '#web/components/ui/dialog.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { messageOf } from '#web/features/accounts/sign-in.ts';
import { call } from '#web/lib/api/api.ts';
import { keyOf, useRead } from '#web/lib/api/reads.ts';
import { dateAndTime } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';

type Devices = RouteResult<typeof listSessions>;

/** Devices with a session, each with a button to end it. */
export function DevicesCard() {
  const client = useQueryClient();
  const devices = useRead(listSessions, { refetchOnMount: 'always' });
  const [isAsking, setAsking] = useState(false);
  const end = useMutation({
    // Without an id: every other device.
    mutationFn: (id: string | null) => (id === null ? call(endOtherSessions) : call(endSession, { params: { id } })),
    onSuccess: (_, id) =>
      toast({
        title: 'Signed out',
        description: id === null ? 'All other devices are signed out.' : 'That device is signed out.',
      }),
    onError: (error) => toast({ title: 'That did not work', description: messageOf(error), variant: 'destructive' }),
    onSettled: () => {
      setAsking(false);
      client.invalidateQueries({ queryKey: keyOf(listSessions) });
    },
  });
  const others = devices.data?.filter(({ isCurrent }) => !isCurrent) ?? [];
  return (
    <Card as="section" className="guard" aria-labelledby="devices">
      <h2 className="h-card" id="devices">
        Devices
      </h2>
      {devices.data ? (
        <>
          <ul className="guard-list">
            {devices.data.map((device) => (
              <Device key={device.id} device={device} onEnd={() => end.mutate(device.id)} />
            ))}
          </ul>
          {others.length > 0 ? (
            <Button variant="secondary" className="guard-act" onClick={() => setAsking(true)}>
              Sign out all other devices
            </Button>
          ) : (
            <p className="quiet">You are signed in nowhere else.</p>
          )}
        </>
      ) : devices.isError ? (
        <LoadError title="We could not load your devices" onRetry={() => devices.refetch()} />
      ) : (
        <SkeletonRows rows={2} label="Loading your devices" />
      )}
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => end.mutate(null)}
        title="Sign out all other devices?"
        text="This one stays signed in. On every other you need your password again."
        confirmLabel={end.isPending ? 'Signing out…' : 'Sign them out'}
        busy={end.isPending}
      />
    </Card>
  );
}

function Device({ device, onEnd }: { device: Devices[number]; onEnd: () => void }) {
  const name = deviceName(device.userAgent);
  const from = device.ipAddress ? `, from ${device.ipAddress}` : '';
  return (
    <li>
      <div>
        <b>{name}</b> {device.isCurrent ? <Badge tone="ready">This device</Badge> : null}
        <p className="hint">
          Signed in {dateAndTime(device.createdAt)}, last used {dateAndTime(device.lastSeenAt)}
          {from}
        </p>
      </div>
      {device.isCurrent ? null : (
        <Button variant="text" size="small" aria-label={`Sign out ${name}`} onClick={onEnd}>
          Sign out
        </Button>
      )}
    </li>
  );
}
