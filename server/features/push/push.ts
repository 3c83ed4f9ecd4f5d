import { createHash, randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import { changeInVault } from '#server/features/accounts/change-in-vault.ts';
import { sealSubscription } from '#server/features/notifications/channels/push.ts';
import {
  deleteDevice,
  listDevices,
  storeDevice,
} from '#server/features/notifications/channels/push-devices.repository.ts';
import type { Call } from '#server/http/bind.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/release/push.ts';
import { pushDevicesMax } from '#shared/contract/release/push.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { deviceName } from '#shared/rules/sign-in/device-name.ts';

type Devices = RouteAnswer<typeof contract.listPushDevices>;

export function listPushDevices(app: App, { principal }: Call<typeof contract.listPushDevices>): Promise<Devices> {
  return devicesOf(app, app.db, principal.userId);
}

/** Switches reminders on for a browser. @throws AppError `VALIDATION` for an address that we don't send to, `CONFLICT`. */
export function addPushDevice(app: App, call: Call<typeof contract.addPushDevice>): Promise<Devices> {
  const { body, origin } = call;
  const { userId } = call.principal;
  if (!app.pusher.reaches(body.endpoint)) throw unreachable();
  return changeInVault(app, call, async (tx, at) => {
    const endpointHash = createHash('sha256').update(body.endpoint).digest('base64url');
    const known = (await listDevices(tx, userId)).filter((device) => device.endpointHash !== endpointHash);
    if (known.length >= pushDevicesMax) throw new AppError('CONFLICT', tooManyWords);
    const id = randomUUID();
    const subscription = sealSubscription(app.serviceKeys, id, body);
    await storeDevice(tx, {
      id,
      userId,
      endpointHash,
      subscription,
      name: deviceName(origin.userAgent),
      createdAt: at,
    });
    const audit = { action: 'account.push_begin', resource: 'account', resourceId: userId };
    return { result: await devicesOf(app, tx, userId), audit };
  });
}

/** @throws AppError `NOT_FOUND`. */
export function removePushDevice(app: App, call: Call<typeof contract.removePushDevice>): Promise<void> {
  const { userId } = call.principal;
  return changeInVault(app, call, async (tx) => {
    if (!(await deleteDevice(tx, { id: call.params.id, userId }))) throw notFound();
    return { result: undefined, audit: { action: 'account.push_stop', resource: 'account', resourceId: userId } };
  });
}

async function devicesOf({ pusher }: App, executor: Executor, userId: string): Promise<Devices> {
  const rows = await listDevices(executor, userId);
  return {
    publicKey: pusher.publicKey,
    devices: rows.map(({ id, name, endpointHash, createdAt }) => ({ id, name, endpointHash, createdAt })),
  };
}

const tooManyWords = `Reminders can be shown on ${pushDevicesMax} devices. Switch them off on another one first.`;

function unreachable(): AppError {
  const message = 'We cannot send to the push service of this browser. Its address must be https on port 443.';
  return new AppError('VALIDATION', message, { issues: [{ path: 'endpoint', message }] });
}
