import { toBase64Url } from '#web/lib/sealing/base64url.ts';

/** Address of the script that shows notices, in `web/public`. */
const workerAddress = '/push-worker.js';

/** Reason for which reminders can't be switched on, in words for the person. */
export class NotSwitchedOnError extends Error {
  override readonly name = 'NotSwitchedOnError';
}

export function canShowReminders(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
}

/** SHA-256 of the address of this browser's subscription, base64url. Null without one. */
export async function hashHere(): Promise<string | null> {
  if (!canShowReminders()) return null;
  const subscription = await subscriptionHere();
  if (!subscription) return null;
  const bytes = new TextEncoder().encode(subscription.endpoint);
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/** Asks for permission and subscribes. @throws NotSwitchedOnError */
export async function subscribeHere(publicKey: string): Promise<{ endpoint: string; keys: Keys }> {
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new NotSwitchedOnError('This browser does not allow notices from us. You can change that in its settings.');
  }
  // An earlier subscription may belong to another key.
  await unsubscribeHere();
  await navigator.serviceWorker.register(trusted(workerAddress) as string);
  const { pushManager } = await navigator.serviceWorker.ready;
  const subscription = await pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
    .catch(() => {
      throw new NotSwitchedOnError('The push service of this browser does not answer. Try again later.');
    });
  const { endpoint, keys } = subscription.toJSON();
  return { endpoint: endpoint ?? '', keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' } };
}

export async function unsubscribeHere(): Promise<void> {
  await (await subscriptionHere())?.unsubscribe();
}

async function subscriptionHere(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

type Keys = { p256dh: string; auth: string };
type TrustedTypes = { createPolicy(name: string, rules: Rules): Rules };
type Rules = { createScriptURL(url: string): unknown };

/** Name of the Trusted Types policy. The server's Content-Security-Policy lists it. */
const policyName = 'everkept-push';

let policy: Rules | undefined;

/** Marks the address of our worker as trusted, as the Content-Security-Policy demands. A page may make a policy once. */
function trusted(address: string): unknown {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return address;
  policy ??= trustedTypes.createPolicy(policyName, { createScriptURL: onlyOurWorker });
  return policy.createScriptURL(address);
}

function onlyOurWorker(address: string): string {
  if (address === workerAddress) return address;
  throw new TypeError('This script does not show notices.');
}
