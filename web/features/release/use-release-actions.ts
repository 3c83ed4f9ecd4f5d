import { useQueryClient } from '@tanstack/react-query';
import { useChange } from '#web/lib/api/changes.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { keyOf } from '#web/lib/api/reads.ts';
import { toast } from '#web/lib/toast.ts';

export type ReleaseActions = {
  checkIn: () => void;
  isCheckingIn: boolean;
  stop: () => void;
  isStopping: boolean;
};

/** Immediate actions of an owner: check in, or stop the open release. Both restart the timeline. */
export function useReleaseActions(): ReleaseActions {
  const client = useQueryClient();
  const checkIn = useChange(light.checkin, {
    onSuccess: () => {
      toast({ title: 'Check-in successful', description: 'Your activity has been recorded' });
      client.invalidateQueries();
    },
    onError: () => toast({ title: 'Check-in failed', description: 'Please try again', variant: 'destructive' }),
  });
  const stop = useChange(light.stopRelease, {
    onSuccess: (overview) => {
      client.setQueryData(keyOf(light.getRelease), overview);
      client.invalidateQueries();
    },
    onError: (error) => toast({ title: 'Not stopped', description: error.message, variant: 'destructive' }),
  });
  return {
    checkIn: () => {
      if (!checkIn.isPending) checkIn.mutate();
    },
    isCheckingIn: checkIn.isPending,
    stop: () => {
      if (!stop.isPending) stop.mutate();
    },
    isStopping: stop.isPending,
  };
}
