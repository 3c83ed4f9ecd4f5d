import { useQueryClient } from '@tanstack/react-query';
import type { listOldAddresses } from '#shared/contract/letters/addresses.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { oldAddressesMax } from '#shared/rules/letters/old-addresses.ts';
import { Button } from '#web/components/ui/button.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';
import { longDate } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';

export type OldAddress = RouteResult<typeof listOldAddresses>[number];

/** Asks, once a year, whether the addresses of letters are still right. */
export function OldAddresses({ addresses }: { addresses: readonly OldAddress[] }) {
  const client = useQueryClient();
  const confirm = useChange(vaultRoutes.confirmAddress, {
    onSuccess: () => {
      toast({ title: 'Thank You', description: 'We ask again in a year.' });
      client.invalidateQueries();
    },
    onError: ({ message }) => toast({ title: 'Error', description: message, variant: 'destructive' }),
  });
  return (
    <section className="card old-addresses" aria-labelledby="old-addresses">
      <p className="it" id="old-addresses">
        Are these addresses still right?
      </p>
      <ul>
        {addresses.map(({ email, name, since }) => (
          <li key={email}>
            <p className="anywhere">
              {name ? `${name}, ` : null}
              {email} <span className="small quiet">as of {longDate(since)}</span>
            </p>
            <Button
              variant="secondary"
              size="small"
              busy={confirm.isPending}
              aria-label={`Still right: ${email}`}
              onClick={() => confirm.isPending || confirm.mutate({ body: { email } })}
            >
              Still right
            </Button>
          </li>
        ))}
      </ul>
      <p className="small quiet">
        If one is not, change it in the letter.
        {addresses.length >= oldAddressesMax
          ? ` We ask about ${oldAddressesMax} at a time. The next ones come once you have confirmed some.`
          : null}
      </p>
    </section>
  );
}
