import type { App } from '#server/app.ts';
import { notificationChannels } from '#server/schema/notifications.tables.ts';
import type { Payload } from '../notifications.payload.ts';
import type { NotificationRow } from '../notifications.repository.ts';
import type { Answer, Channel, ChannelDriver } from './channel.ts';
import { emailChannel } from './email.ts';
import { pushChannel } from './push.ts';
import { textChannel } from './text.ts';
import { webhookChannel } from './webhook.ts';

/** Every way to reach a person. */
export const channels: { readonly [Name in Channel]: ChannelDriver<Name> } = {
  email: emailChannel,
  sms: textChannel,
  push: pushChannel,
  webhook: webhookChannel,
};

/** Hands a claimed message over by its channel, unless its receiver has turned that off. */
export async function sendByChannel(
  app: App,
  { row, payload, mayLeave }: { row: NotificationRow; payload: Payload; mayLeave: () => Promise<boolean> },
): Promise<Answer> {
  const driver = channels[payload.channel] as ChannelDriver<Channel>;
  // A message that its provider has already is only asked about.
  const stopped = row.providerId ? null : await driver.stops(app, payload);
  return stopped ?? driver.send(app, { row, payload, mayLeave });
}

/** Channels whose messages stay on this machine, or those whose messages leave it. */
export function channelsThat(does: 'stay' | 'leave', app: App): Channel[] {
  return notificationChannels.filter((name) => channels[name].stays(app) === (does === 'stay'));
}
