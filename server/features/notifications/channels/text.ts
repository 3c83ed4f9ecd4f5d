import { isPhoneStopped } from '../sms-replies.repository.ts';
import { phoneKeyOf } from '../sms-replies.ts';
import type { ChannelDriver } from './channel.ts';

/** Twilio's own number for "its holder wants no texts"; here it is we who know. */
const stoppedByHolder = { outcome: 'refused', replyCode: 21610 } as const;

export const textChannel: ChannelDriver<'sms'> = {
  async send({ texter }, { row, payload, mayLeave }) {
    if (row.providerId) return texter.reportOn(row.providerId);
    if (!(await mayLeave())) return { outcome: 'withheld' };
    return texter.send({ to: payload.phone, text: payload.text });
  },
  // Texts that only the outbox page shows count as not delivered. Their facts depend on the mail.
  proves: ({ texter }) => texter.kind !== 'outbox',
  // Checked just before sending, so that STOP covers texts that are already queued.
  stops: async (app, { phone }) => ((await isPhoneStopped(app.db, phoneKeyOf(app, phone))) ? stoppedByHolder : null),
  stays: ({ texter }) => texter.kind === 'outbox',
};
