import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { type PushSubscription, pushSubscriptionSchema } from '#server/platform/push/subscription.ts';
import type { ChannelDriver } from './channel.ts';
import { deleteDevice, findDevice } from './push-devices.repository.ts';

/** Answers of a push service about a subscription that has ended (RFC 8030, section 7.3). */
const endedStatuses: ReadonlySet<number | null> = new Set([404, 410]);

const context = (id: string) => ({ table: 'push_devices', column: 'subscription', rowId: id });

export function sealSubscription(keys: ServiceKeys, id: string, subscription: PushSubscription): Buffer {
  return keys.seal(context(id), Buffer.from(JSON.stringify(subscription), 'utf8'));
}

/** Devices of owners. An acceptance of a push service says nothing of a person. */
export const pushChannel: ChannelDriver<'push'> = {
  async send({ db, serviceKeys, pusher }, { payload, mayLeave }) {
    const device = await findDevice(db, payload.device);
    if (!device) return { outcome: 'refused', replyCode: null };
    const opened = serviceKeys.unseal(context(device.id), device.subscription).toString('utf8');
    if (!(await mayLeave())) return { outcome: 'withheld' };
    const answer = await pusher.send(pushSubscriptionSchema.parse(JSON.parse(opened)));
    if (answer.outcome === 'refused' && endedStatuses.has(answer.replyCode)) await deleteDevice(db, device);
    return answer;
  },
  proves: () => false,
  // A device that was switched off has no row, which `send` needs anyway.
  stops: async () => null,
  stays: () => false,
};
