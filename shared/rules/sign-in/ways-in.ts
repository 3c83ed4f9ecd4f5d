/** Ways to sign in that an account has. A passkey opens it alone; an app and recovery codes only follow a password or a provider. */
export type WaysIn = {
  hasPassword: boolean;
  passkeys: number;
  /** Linked providers that people can sign in with here, now. */
  providers: number;
};

export type WayIn = 'password' | 'passkey' | 'provider';

/** True if the account would open with nothing after one way of this kind is removed. */
export function isOnlyWayIn(ways: WaysIn, way: WayIn): boolean {
  const count = Number(ways.hasPassword) + ways.passkeys + ways.providers;
  const hasOne = { password: ways.hasPassword, passkey: ways.passkeys > 0, provider: ways.providers > 0 }[way];
  return hasOne && count === 1;
}

export const onlyWayInWords =
  'This is the only way to sign in that you have, so you can’t remove it. Add another one first.';
