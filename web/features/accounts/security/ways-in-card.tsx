import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { RouteResult } from '#shared/contract/route.ts';
import { getSecondFactors } from '#shared/contract/second-factors.ts';
import { listSessions } from '#shared/contract/sessions.ts';
import { removeIdentity, removePassword, startIdentityLink } from '#shared/contract/sign-in/ways-in.ts';
import { isOnlyWayIn, onlyWayInWords } from '#shared/rules/sign-in/ways-in.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { ConfirmDialog } from '#web/components/ui/dialog.tsx';
import { messageOf } from '#web/features/accounts/sign-in.ts';
import { call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { keyOf, useRead } from '#web/lib/api/reads.ts';
import { counted, longDate } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';

type Factors = RouteResult<typeof getSecondFactors>;
type Identity = Factors['identities'][number];
type Removing = { what: string; remove: () => Promise<unknown> };

/** Every way to sign in, and a way to remove each. */
export function WaysInCard({ factors }: { factors: Factors }) {
  const [removing, setRemoving] = useState<Removing>();
  const { run, link, dialog } = useWayChanges();
  const { hasPassword, identities, passkeys, authenticator } = factors;
  const ways = {
    hasPassword,
    passkeys: passkeys.length,
    providers: identities.filter(({ isUsable }) => isUsable).length,
  };
  const remove = () => {
    const act = removing;
    setRemoving(undefined);
    if (act) void run(act);
  };
  return (
    <Card as="section" className="guard" aria-labelledby="ways-in">
      <h2 className="h-card" id="ways-in">
        Ways to sign in
      </h2>
      <ul className="guard-list">
        <li>
          <div>
            <b>Password</b>
            <p className="hint">{hasPassword ? 'Set.' : 'Your account has none.'}</p>
          </div>
          {hasPassword ? (
            <RemoveWay
              name="the password"
              isOnly={isOnlyWayIn(ways, 'password')}
              onRemove={() => setRemoving({ what: 'Your password', remove: () => call(removePassword) })}
            />
          ) : null}
        </li>
        {identities.map((identity) => (
          <li key={identity.id}>
            <Provider identity={identity} />
            <RemoveWay
              name={identity.provider}
              isOnly={identity.isUsable && isOnlyWayIn(ways, 'provider')}
              onRemove={() =>
                setRemoving({
                  what: identity.provider,
                  remove: () => call(removeIdentity, { params: { id: identity.id } }),
                })
              }
            />
          </li>
        ))}
        <li>
          <div>
            <b>Passkeys and authenticator app</b>
            <p className="hint">{factorWords(passkeys.length, authenticator !== null)}</p>
          </div>
        </li>
      </ul>
      <NewLinks factors={factors} onLink={link} />
      {dialog}
      <ConfirmDialog
        open={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        onConfirm={remove}
        title="Remove this way to sign in?"
        text={removing ? `${removing.what} will no longer open your account. Your other devices are signed out.` : ''}
        confirmLabel="Remove it"
        danger
      />
    </Card>
  );
}

function Provider({ identity }: { identity: Identity }) {
  const { provider, email, linkedAt, lastUsedAt, isUsable } = identity;
  return (
    <div>
      <b>{provider}</b>
      <p className="hint">
        {email ? (
          <>
            <bdi className="whole">{email}</bdi>.{' '}
          </>
        ) : null}
        Linked on {longDate(linkedAt)}
        {lastUsedAt ? `, last used on ${longDate(lastUsedAt)}` : ', not used yet'}.
        {isUsable ? '' : ' It is not set up here any more, so it opens nothing.'}
      </p>
    </div>
  );
}

type RemoveWayProps = { name: string; isOnly: boolean; onRemove: () => void };

function RemoveWay({ name, isOnly, onRemove }: RemoveWayProps) {
  if (isOnly) return <p className="hint">{onlyWayInWords}</p>;
  return (
    <Button variant="text" size="small" aria-label={`Remove ${name}`} onClick={onRemove}>
      Remove
    </Button>
  );
}

function factorWords(passkeys: number, hasApp: boolean): string {
  if (passkeys === 0 && !hasApp) return 'You have none. You can add them under “Second step”.';
  const have = [...(passkeys > 0 ? [counted(passkeys, 'passkey')] : []), ...(hasApp ? ['an authenticator app'] : [])];
  return `You have ${have.join(' and ')}, listed under “Second step”.`;
}

/** Providers that the account could be linked with. */
function NewLinks({ factors, onLink }: { factors: Factors; onLink: (slug: string) => void }) {
  const { data } = useRead(light.getAuthProviders);
  const linked = new Set(factors.providers.map(({ slug }) => slug));
  const others = data?.providers.filter(({ slug }) => !linked.has(slug)) ?? [];
  if (others.length === 0) return null;
  if (!factors.hasPassword && factors.passkeys.length === 0) {
    return <p className="hint">Set a password or add a passkey to link another way to sign in.</p>;
  }
  return others.map(({ slug, name }) => (
    <Button key={slug} variant="secondary" className="guard-act" onClick={() => onLink(slug)}>
      Link {name}
    </Button>
  ));
}

function useWayChanges() {
  const client = useQueryClient();
  const freshSignIn = useFreshSignIn();
  const guarded = async (act: () => Promise<void>) => {
    try {
      await freshSignIn.run(act);
    } catch (error) {
      if (error instanceof NotConfirmedError) return;
      toast({ title: 'That did not work', description: messageOf(error), variant: 'destructive' });
    }
  };
  const run = ({ what, remove }: Removing) =>
    guarded(async () => {
      await remove();
      client.invalidateQueries({ queryKey: keyOf(getSecondFactors) });
      client.invalidateQueries({ queryKey: keyOf(listSessions) });
      toast({ title: 'Removed', description: `${what} no longer opens your account.` });
    });
  const link = (provider: string) =>
    guarded(async () => {
      const { url } = await call(startIdentityLink, { body: { provider } });
      window.location.assign(url);
    });
  return { run, link, dialog: freshSignIn.dialog };
}
