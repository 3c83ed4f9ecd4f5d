import { createHmac } from 'node:crypto';
import { createPoster, isAcceptance, type Posted } from '#server/platform/push/post.ts';

export type WebhookEvent = { id: string; kind: string; at: Date };

export type Webhook = {
  /** Tells the operator's notifier of an event. Never throws. */
  send(event: WebhookEvent): Promise<Posted>;
};

export type WebhookSettings = { url: string; secret: string; realNowMs: () => number };

/** Signs and posts events: kinds and times. The id is the same at every try, and names no person. */
export function createWebhook({ url, secret, realNowMs }: WebhookSettings): Webhook {
  const post = createPoster();
  return {
    async send({ id, kind, at }) {
      const body = JSON.stringify({ id, kind, at: at.toISOString() });
      const headers = {
        'content-type': 'application/json',
        'x-everkept-signature': signatureOf({ secret, body, atMs: realNowMs() }),
      };
      const replyCode = await post({ url, headers, body });
      // A receiver that is being changed may refuse anything for a while.
      return isAcceptance(replyCode) ? { outcome: 'accepted', providerId: null } : { outcome: 'temporary', replyCode };
    },
  };
}

/** `t` is the time of this try in seconds, by which its receiver refuses an old call. */
export function signatureOf({ secret, body, atMs }: { secret: string; body: string; atMs: number }): string {
  const seconds = Math.floor(atMs / 1_000);
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${mac}`;
}
