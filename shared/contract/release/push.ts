import { z } from 'zod';
import { id, idParams, instant, text } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

/** Devices on which one owner may have reminders. */
export const pushDevicesMax = 10;
/** Longest address that a push service gives. */
const endpointLengthMax = 2_000;

const devicesSchema = z
  .object({
    /** Key that a browser subscribes with (RFC 8292). */
    publicKey: z.string(),
    devices: z.array(
      z.object({
        id,
        /** "Firefox on Android". */
        name: z.string(),
        /** SHA-256 of the endpoint, base64url, by which a browser finds itself in the list. */
        endpointHash: z.string(),
        createdAt: instant,
      }),
    ),
  })
  .meta({ id: 'PushDevices' });

export const listPushDevices = defineRoute({
  method: 'GET',
  path: '/api/user/push-devices',
  access: 'session',
  summary: 'Devices on whose screen the owner gets reminders',
  answer: devicesSchema,
});

/** A browser's subscription (W3C Push API). A point of P-256 has 65 bytes, a secret 16 (RFC 8291). */
export const addPushDevice = defineRoute({
  method: 'POST',
  path: '/api/user/push-devices',
  access: 'verified',
  summary: 'Show reminders on the screen of this device',
  body: z.object({
    endpoint: text(endpointLengthMax),
    keys: z.object({
      p256dh: z.string().regex(/^B[\w-]{86}$/, 'This is no key of a browser'),
      auth: z.string().regex(/^[\w-]{22}$/, 'This is no secret of a browser'),
    }),
  }),
  answer: devicesSchema,
  ratePerMinute: 20,
});

export const removePushDevice = defineRoute({
  method: 'DELETE',
  path: '/api/user/push-devices/:id',
  access: 'session',
  summary: 'Show no more reminders on a device',
  params: idParams,
  status: 204,
});
