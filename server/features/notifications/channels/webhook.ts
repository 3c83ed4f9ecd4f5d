import type { ChannelDriver } from './channel.ts';

/** The operator's own notifier. */
export const webhookChannel: ChannelDriver<'webhook'> = {
  async send({ webhook }, { row, payload, mayLeave }) {
    if (!webhook) return { outcome: 'refused', replyCode: null };
    if (!(await mayLeave())) return { outcome: 'withheld' };
    return webhook.send({ id: row.id, kind: payload.event, at: row.createdAt });
  },
  proves: () => false,
  // Without WEBHOOK_URL there is none, as `send` sees.
  stops: async () => null,
  stays: () => false,
};
