import { useQueryClient } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { useLocation } from 'wouter';
import { Page } from '#web/components/layout/page.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { keyOf } from '#web/lib/api/reads.ts';
import { useSession } from '#web/lib/session.ts';
import { toast } from '#web/lib/toast.ts';
import { WelcomeBack } from './welcome-back.tsx';

type WelcomeBackPageProps = Pick<ComponentProps<typeof WelcomeBack>, 'overview' | 'cameBack'>;

/** Stands in the dashboard's place until it has been read, on whatever device. */
export function WelcomeBackPage({ overview, cameBack }: WelcomeBackPageProps) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { user } = useSession();
  const dismiss = useChange(light.dismissReturn, {
    onError: (error) => toast({ title: 'Not put away', description: error.message, variant: 'destructive' }),
  });
  return (
    <Page title="Welcome back" heading={null}>
      <WelcomeBack
        firstName={user?.firstName ?? ''}
        overview={overview}
        cameBack={cameBack}
        isLeaving={dismiss.isPending}
        onRead={(hash = '') =>
          dismiss.mutate(undefined, {
            onSuccess: () => {
              client.setQueryData(keyOf(light.getRelease), (known) => known && { ...known, cameBack: null });
              navigate(`/${hash}`);
            },
          })
        }
      />
    </Page>
  );
}
