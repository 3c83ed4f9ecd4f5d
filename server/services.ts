import { createBounceReader } from '#server/features/bounces/bounces.service.ts';
import { createNotifications, notificationsOf } from '#server/features/notifications/notifications.service.ts';
import { receiveMailReply } from '#server/features/release-mail/mail-replies.ts';
import type { App } from './app.ts';
import { registerReactions } from './reactions.ts';

export type Services = ReturnType<typeof createServices>;

/** Makes the two services that hold state, and registers all reactions. */
export function createServices(app: App) {
  const { clock, returnPaths, settings } = app;
  const notifications = createNotifications(app);
  notificationsOf.set(app, notifications);
  registerReactions(app, notifications);
  const onReply = (reply: Parameters<typeof receiveMailReply>[1]) => receiveMailReply(app, reply);
  const mailFrom = settings.mail.from;
  return { notifications, bounces: createBounceReader({ clock, notifications, returnPaths, onReply, mailFrom }) };
}
