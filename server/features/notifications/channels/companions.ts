import type { App } from '#server/app.ts';
import { eventOf } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { NewCompanion, NewEmail, NewNotification } from '../notifications.messages.ts';
import { listDeviceIds } from './push-devices.repository.ts';

/**
 * Messages that go with mails to owners: to each device on which the owner switched that on, and to the webhook. They
 * carry the number of the notice, so that they are withdrawn with it.
 */
export async function companionsOf(
  app: App,
  tx: Executor,
  messages: readonly NewNotification[],
): Promise<NewCompanion[]> {
  const announced = messages.flatMap((message) => {
    const event = message.channel === 'email' ? eventOf(message.kind) : null;
    return event === null || message.channel !== 'email' || message.userId === null
      ? []
      : [{ message, event, userId: message.userId }];
  });
  if (announced.length === 0) return [];
  const devices = await listDeviceIds(tx, [...new Set(announced.map(({ userId }) => userId))]);
  return announced.flatMap(({ message, event, userId }): NewCompanion[] => {
    const cause = { ...causeOf(message), policy: 'brief' } as const;
    const pushes = (devices.get(userId) ?? []).map((device) => ({
      ...cause,
      channel: 'push' as const,
      dedupeKey: `${message.dedupeKey}:push:${device}`,
      device,
    }));
    if (!app.webhook) return pushes;
    return [...pushes, { ...cause, channel: 'webhook', dedupeKey: `${message.dedupeKey}:webhook`, event }];
  });
}

function causeOf({ kind, userId, subjectId, notice, at, notBefore }: NewEmail) {
  return { kind, userId, subjectId, notice, at, notBefore };
}
